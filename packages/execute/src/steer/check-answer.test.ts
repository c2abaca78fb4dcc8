import { expect, it } from "vitest";
import { checkAnswer } from "./check-answer.ts";

const form = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    points: { type: "array", items: { type: "integer" } },
    tone: { type: "string", default: "kind" },
  },
  required: ["approved"],
  additionalProperties: false,
};

it("an answer that fits its form is the meta, with the form's defaults", () => {
  expect(checkAnswer({ role: "boss", form }, { approved: true })).toEqual({
    ok: true,
    value: { approved: true, tone: "kind" },
  });
});

it("an answer that does not fit is refused with all of its faults, each with its field", () => {
  expect(checkAnswer({ role: "boss", form }, { points: [1, "two"], other: 1 })).toMatchObject({
    ok: false,
    error: {
      code: "ANSWER_INVALID",
      message: expect.stringMatching(/approved: .*points\[1\]: .*other/),
    },
  });
});
