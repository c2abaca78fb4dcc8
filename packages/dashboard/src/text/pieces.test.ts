import { expect, test } from "vitest";
import { FIRST_CHARS, shownPart, sizeOf } from "./pieces.ts";

test("a short text is shown whole, a long one as far as a line near the bound", () => {
  expect(shownPart("short", 100)).toBe("short");
  const lines = "line\n".repeat(100_000);
  const part = shownPart(lines, FIRST_CHARS);
  expect(part.endsWith("line\n")).toBe(true);
  expect(part.length).toBeLessThanOrEqual(FIRST_CHARS + 1);
});

test("one line of 8 MiB is cut in it, and never inside a character", () => {
  expect(shownPart("x".repeat(8 * 1024 * 1024), FIRST_CHARS)).toHaveLength(FIRST_CHARS);
  expect(shownPart("😀".repeat(10), 5)).toBe("😀😀");
});

test("sizes are said in words", () => {
  expect([12, 5_300, 61_000, 8_388_608].map(sizeOf)).toEqual([
    "12 characters",
    "5.3 k characters",
    "61 k characters",
    "8.4 M characters",
  ]);
});
