import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineReader } from "./line-reader.ts";

function linesOf(bytes: Buffer, chunkBytes: number, maxChars = 1_000) {
  const reader = lineReader("stdout", maxChars);
  const lines = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    lines.push(...reader.push(bytes.subarray(at, at + chunkBytes)));
  }
  return [...lines, ...reader.end()];
}

describe("lineReader", () => {
  it("returns the same lines however the bytes are split into chunks", () => {
    const unit = fc.constantFrom("a", "ä", "€", "💥", "\0", "\n");
    fc.assert(
      fc.property(fc.string({ unit }), fc.integer({ min: 1, max: 7 }), (text, chunkBytes) => {
        const lines = linesOf(Buffer.from(text), chunkBytes).map((line) => line.text);
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(lines).toEqual(expected);
      }),
    );
  });

  it("replaces what is not UTF-8 with U+FFFD, also a character cut off by the end", () => {
    expect(
      linesOf(Buffer.from([0x61, 0xff, 0x0a, 0xf0, 0x9f]), 1).map((each) => each.text),
    ).toEqual(["a\uFFFD", "\uFFFD"]);
  });

  it("removes escape codes and the carriage return of a line break", () => {
    const [line] = linesOf(Buffer.from("\u001b[31mred\u001b[0m\r\n"), 3);
    expect(line?.text).toBe("red");
  });

  it("keeps no more of a line than the limit, and counts the rest", () => {
    const lines = linesOf(Buffer.from(`${"x".repeat(25)}\nshort\n`), 4, 10);
    expect(lines).toEqual([
      { stream: "stdout", text: "x".repeat(10), omittedChars: 15 },
      { stream: "stdout", text: "short", omittedChars: 0 },
    ]);
  });

  it("does not cut a character in two at the limit", () => {
    expect(linesOf(Buffer.from("abc💥"), 100, 4)[0]?.text).toBe("abc");
  });
});
