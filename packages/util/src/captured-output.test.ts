import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { captureOutput } from "./captured-output.ts";

function capture(maxBytes: number, chunks: readonly Uint8Array[]) {
  const output = captureOutput(maxBytes);
  for (const chunk of chunks) output.push(chunk);
  return output.result();
}

describe("captureOutput", () => {
  // The first property test in a process takes a second to load its library, more on a busy machine.
  it("returns everything that fits, however it is split into chunks", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 5 }), (raw, size) => {
        const text = raw.toWellFormed();
        const bytes = Buffer.from(text);
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(capture(bytes.length, chunks)).toEqual({
          text,
          totalBytes: bytes.length,
          omittedBytes: 0,
        });
      }),
    );
  });

  it("returns the beginning and the end of longer output, and counts the rest", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 60 }),
        (raw, maxBytes) => {
          const chunks = raw.map((chunk) => chunk.map((byte) => 97 + (byte % 26)));
          const all = Buffer.concat(chunks).toString();
          fc.pre(all.length > maxBytes);
          const head = all.slice(0, Math.ceil(maxBytes / 2));
          const tail = all.slice(all.length - Math.floor(maxBytes / 2));
          const omittedBytes = all.length - maxBytes;
          expect(capture(maxBytes, chunks)).toEqual({
            text: `${head}\n[… ${omittedBytes} bytes left out …]\n${tail}`,
            totalBytes: all.length,
            omittedBytes,
          });
        },
      ),
    );
  });

  it("never shows half a character at a cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "ä", "€", "💥"), minLength: 30 }),
        fc.integer({ min: 2, max: 20 }),
        (text, maxBytes) => {
          const shown = capture(maxBytes, [Buffer.from(text)]);
          expect(shown.text).not.toContain("\uFFFD");
          const [head = "", tail = ""] = shown.text.split(/\n\[… \d+ bytes left out …\]\n/);
          expect(text.startsWith(head)).toBe(true);
          expect(text.endsWith(tail)).toBe(true);
          expect(Buffer.byteLength(head + tail) + shown.omittedBytes).toBe(shown.totalBytes);
        },
      ),
    );
  });

  it("shows bytes that are not UTF-8 as U+FFFD and keeps NUL and a byte order tag", () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x00, 0xff, 0x62]);
    expect(capture(100, [bytes]).text).toBe("\uFEFFa\0\uFFFDb");
  });
});
