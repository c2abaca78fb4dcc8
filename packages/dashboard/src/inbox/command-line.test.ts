import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { answerCommand, shellWord } from "./command-line.ts";

test("a shell reads every word back as it was", () => {
  for (const word of ["plain", "two words", "it's", '$(touch x) `y` \\ "', "--flag", "", "*\n?"]) {
    const out = execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" });
    expect(out).toBe(word);
  }
});

test("an answer is fields where it can be, else one JSON object", () => {
  expect(answerCommand("T", { approved: true, note: "a b" })).toBe(
    "uwf answer T approved=true 'note=a b'",
  );
  expect(answerCommand("T", { tags: ["a"] }, 2)).toBe(`uwf answer T --member 2 '{"tags":["a"]}'`);
});
