import { expect, it } from "vitest";
import { printableOutput } from "./printable.ts";
import { styleOf } from "./style.ts";

it("colours a text, and writes nothing for none", () => {
  const { red, dim } = styleOf({ color: true, columns: 80 });
  expect([red("no"), dim("no")].map(printableOutput)).toEqual([
    "\u001b[31mno\u001b[39m",
    "\u001b[2mno\u001b[22m",
  ]);
  expect([red(""), dim("")]).toEqual(["", ""]);
});

it("leaves a text unchanged where no colours are wanted", () => {
  expect(styleOf({ color: false, columns: null }).red("no")).toBe("no");
});
