import { expect, test } from "vitest";
import { oneLine, visible } from "./visible.ts";

test("what would turn or hide other characters is written out", () => {
  expect(visible("user\u202Egnp.exe")).toBe("user‹U+202E›gnp.exe");
  expect(visible("a\u0000b\u001b[31m\u200b\ufeff")).toBe("a‹U+0000›b‹U+001B›[31m‹U+200B›‹U+FEFF›");
  expect(visible("\u{E0041}")).toBe("‹U+E0041›");
});

test("breaks, tabs, letters of all scripts and joined pictures stay", () => {
  for (const text of ["a\n\tb", "añ漢עِ", "👨‍💻", "👩🏽‍🚀", "❤️‍🔥"]) expect(visible(text)).toBe(text);
  expect(visible("a\u200Db")).toBe("a‹U+200D›b");
  expect(visible("one\r\ntwo")).toBe("one\ntwo");
});

test("a line for a list has no breaks and an end", () => {
  expect(oneLine("  two\n\nlines ")).toBe("two lines");
  expect(oneLine("x".repeat(9_000_000), 10)).toBe(`${"x".repeat(9)}…`);
});
