import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test("a shell reads any text back unchanged", () => {
  const text = fc.string({ unit: "binary" }).filter((each) => !each.includes("\0"));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
      const script = `printf '%s\\0' ${texts.map(shellWord).join(" ")}`;
      const read = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
      expect(read.slice(0, -1)).toEqual(texts.map((each) => each.toWellFormed()));
    }),
    { numRuns: 50 },
  );
});

test("a plain path needs no quotes", () => {
  expect(shellWord("/home/me/my-flows/dist/workflow.esm.js")).toBe(
    "/home/me/my-flows/dist/workflow.esm.js",
  );
  expect(shellWord("two words")).toBe("'two words'");
  expect(shellWord("")).toBe("''");
});
