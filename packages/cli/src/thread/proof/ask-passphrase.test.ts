import { expect, it } from "vitest";
import type { KeyQuestions } from "../../terminal/questions.ts";
import { askPassphrases } from "./ask-passphrase.ts";

/** A person who types these, one after the other, again when one is refused. */
function typing(words: readonly (string | null)[]): { questions: KeyQuestions; said: string[] } {
  const left = [...words];
  const said: string[] = [];
  const passphrase: KeyQuestions["passphrase"] = async (question, check) => {
    said.push(question);
    for (;;) {
      const next = left.shift() ?? null;
      if (next === null) return null;
      const problem = check(next);
      if (problem === null) return next;
      said.push(problem);
    }
  };
  return { questions: { passphrase }, said };
}

it("a new one is long enough, and typed twice", async () => {
  const typed = ["short", "x".repeat(1_001), " long enough ", "another one", " long enough "];
  const { questions, said } = typing(typed);
  const { protect } = askPassphrases(async () => questions, true);
  expect(await protect?.()).toBe(" long enough ");
  expect(said).toEqual([
    "A new passphrase for the key",
    "at least 12 characters",
    "at most 1000 bytes",
    "The same again",
    "that is another one",
  ]);
});

it("a person may give none", async () => {
  const asking = (words: readonly (string | null)[]) =>
    askPassphrases(async () => typing(words).questions, true);
  expect(await asking([null]).protect?.()).toBeNull();
  expect(await asking(["long enough ", null]).protect?.()).toBeNull();
  expect(await asking(["", null]).open("a.key")).toBeNull();
});

it("the name of the file cannot write to the terminal", async () => {
  const { questions, said } = typing(["x"]);
  const { open, protect } = askPassphrases(async () => questions, false);
  expect(protect).toBeNull();
  expect(await open("\u001b[2Ja.key")).toBe("x");
  expect(said.join("")).not.toContain("\u001b");
});
