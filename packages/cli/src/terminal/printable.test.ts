import { expect, it } from "vitest";
import { printableOutput } from "./printable.ts";
import { styleOf } from "./style.ts";

const { red } = styleOf({ color: true, columns: 80 });

it("lets only our own colours through, with or without colours", () => {
  const hostile = "\u001b]52;c;aGk=\u0007\u009b2J\r\u202e\b";
  const shown = "␛]52;c;aGk=␇\\u009b2J␍\\u202e␈";
  expect(printableOutput(`${red(`no ${hostile}`)} ${hostile}\n`)).toBe(
    `\u001b[31mno ${shown}\u001b[39m ${shown}\n`,
  );
});

it("shows a colour code contained in a text", () => {
  expect(printableOutput("\u001b[31mfailed\u001b[0m")).toBe("␛[31mfailed␛[0m");
  expect(printableOutput(red("\u001b[32mok"))).toBe("\u001b[31m␛[32mok\u001b[39m");
});
