import { expect, it } from "vitest";
import { printableOutput } from "./printable.ts";

const HOSTILE = "\u001b]52;c;aGk=\u0007\u009b2J\r\u202e\b";

it("lets nothing but colours through to a terminal, and nothing at all to a file", () => {
  const text = `\u001b[31mno\u001b[39m ${HOSTILE}\n`;
  expect(printableOutput(text, { color: true })).toBe(
    "\u001b[31mno\u001b[39m ␛]52;c;aGk=␇\\u009b2J␍\\u202e␈\n",
  );
  expect(printableOutput(text, { color: false })).not.toContain("\u001b");
});
