import fc from "fast-check";
import { expect, it } from "vitest";
import { parseKeyFile } from "./parse-key-file.ts";

function values(text: string): unknown {
  const parsed = parseKeyFile(text);
  return parsed.ok
    ? Object.fromEntries(parsed.value)
    : `${parsed.error.line}: ${parsed.error.problem}`;
}

it.each([
  ["A=1\nB=2\n", { A: "1", B: "2" }],
  ["\uFEFFA=1\r\nB=2", { A: "1", B: "2" }],
  ["# keys\n\n  export A = sk-1 # mine\n", { A: "sk-1" }],
  ["A=sk#1\nB=#none\nC=\n", { A: "sk#1", B: "", C: "" }],
  [
    `A="a # b" # c\nB='x "y" \\n'\nC="say \\"it\\"\\n\\\\"\n`,
    { A: "a # b", B: 'x "y" \\n', C: 'say "it"\n\\' },
  ],
  ["A=1\nA=2\n", { A: "2" }],
  ["A='1\u2028 2' # \u2029\n", { A: "1\u2028 2" }],
  ["A=$B\nB=a=b=c\n", { A: "$B", B: "a=b=c" }],
])("reads %j", (text, expected) => {
  expect(values(text)).toEqual(expected);
});

it.each([
  ["A=1\nsk-secret\n", "2: is not NAME=value"],
  ["1A=sk-secret\n", "1: is not NAME=value"],
  ["A='sk-secret\n", "1: A: its quote is not closed on the same line"],
  ['A="sk-secret\\"\n', "1: A: its quote is not closed on the same line"],
  ["A='sk' secret\n", "1: A: there is text after its quote"],
])("names the line of %j, but no value", (text, problem) => {
  expect(values(text)).toBe(problem);
});

it("reads back any value in double quotes", () => {
  const escaped = (value: string): string =>
    value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (value) => {
      expect(values(`A="${escaped(value)}"`)).toEqual({ A: value });
    }),
  );
});
