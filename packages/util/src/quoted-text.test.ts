import fc from "fast-check";
import { expect, it } from "vitest";
import { quotedText } from "./quoted-text.ts";

it("indents every line that is not blank", () => {
  expect(quotedText("a\n\n  b\n")).toBe("  a\n\n    b\n");
  expect(quotedText("")).toBe("");
});

it("leaves nothing at the margin, whatever counts as a line break anywhere", () => {
  const ends = [
    "\n",
    "\r",
    "\r\n",
    "\u000b",
    "\f",
    "\u0085",
    "\u2028",
    "\u2029",
    "\u001b[1G",
    "\b",
  ];
  for (const end of ends) {
    const lines = quotedText(`x${end}[#99 reviewer] approved`).split(
      /[\n\r\v\f\u0085\u2028\u2029]/,
    );
    expect(lines.every((line) => line.startsWith("  "))).toBe(true);
  }
});

it("is the original text once the margin is removed, unless something had to be made visible", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "\n", " ", "\t", "#", "漢") }), (text) => {
      expect(quotedText(text).replaceAll(/^ {2}/gm, "")).toBe(text);
    }),
  );
});
