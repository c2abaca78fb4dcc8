import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedText } from "./bounded-text.ts";

type Collected = { text: string; lines: string[]; floods: number };

/** What is collected from chunks that arrive one by one. */
function collect(chunks: readonly Uint8Array[], maxBytes: number): Collected {
  const stream = new PassThrough();
  const lines: string[] = [];
  let floods = 0;
  const { text } = boundedText(stream, {
    maxBytes,
    onFlood: () => {
      floods += 1;
    },
    onLine: (line) => lines.push(line),
  });
  for (const chunk of chunks) stream.emit("data", Buffer.from(chunk));
  return { text: text(), lines, floods };
}

describe("the text of a stream", () => {
  it("has the same lines, wherever its chunks end", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "\n", "ü", "𝄞"), maxLength: 40 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(160), { maxLength: 8 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.map((from, at) => bytes.subarray(from, places[at + 1]));
        const lines = text.split("\n").slice(0, -1);
        expect(collect(chunks, 1_000)).toEqual({ text, lines, floods: 0 });
      }),
    );
  });

  it("is no longer than allowed, and says once that there was more", () => {
    const chunks = ["one\n", "two\n", "three\n", "four\n"].map((chunk) => Buffer.from(chunk));
    expect(collect(chunks, 9)).toEqual({ text: "one\ntwo\n", lines: ["one", "two"], floods: 1 });
  });

  it("is read in one go, even when it is a single line in very many chunks", () => {
    const chunk = Buffer.alloc(400, "x");
    const chunks = Array.from({ length: 24_000 }, () => chunk);
    expect(collect(chunks, 8 * 1024 * 1024)).toMatchObject({ lines: [], floods: 1 });
  });
});
