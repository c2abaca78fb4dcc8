import { describe, expect, it } from "vitest";
import type { FormQuestions } from "../../terminal/questions.ts";
import { askAnswer } from "./ask-answer.ts";

const FORM = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    next: { enum: ["ship", "wait"], description: "what then" },
    points: { type: "integer" },
    comment: { type: "string" },
  },
  required: ["approved", "comment"],
};
const WAIT = { role: "approver", message: "Is it good?", form: FORM };

/** Gives these answers in order, and records the questions. */
function person(...answers: (string | null)[]): FormQuestions & { heard: string[] } {
  const heard: string[] = [];
  const next = (question: string): string | null => {
    heard.push(question);
    return answers.shift() ?? null;
  };
  return {
    heard,
    say: (words) => void heard.push(words),
    choose: async (question, choices) =>
      next(`${question}: ${choices.map(({ label }) => label).join("/")}`),
    longText: async (question, { check }) => {
      const answer = next(question);
      return answer === null || check(answer) === null ? answer : next("again");
    },
  };
}

describe("an answer that is asked for", () => {
  it("is made field by field; what may be left out may stay empty", async () => {
    const asked = person("0", "", "", "", "Looks good");
    expect(await askAnswer(asked, WAIT)).toEqual({ approved: true, comment: "Looks good" });
    expect(asked.heard).toEqual([
      "approver: Is it good?",
      "approved: yes/no",
      "next (what then): ship/wait/leave it out",
      "points",
      "comment",
      "again",
    ]);
    expect(await askAnswer(person("1", "1", "7", "No"), WAIT)).toEqual({
      ...{ approved: false, next: "wait", points: 7, comment: "No" },
    });
  });

  it("is none when the person cancels", async () => {
    expect(await askAnswer(person("0", null), WAIT)).toBeNull();
    expect(await askAnswer(person("0", "", null), WAIT)).toBeNull();
  });
});
