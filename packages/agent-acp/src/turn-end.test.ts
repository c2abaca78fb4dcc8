import { expect, test } from "vitest";
import { endOfAnswer, endOfWords } from "./turn-end.ts";

test.each([
  ["end_turn", "ok"],
  ["cancelled", "cancelled"],
  ["refusal", "denied"],
  ["max_tokens", "context_overflow"],
  ["max_turn_requests", "crashed"],
  ["bored", "crashed"],
])("a turn that stopped for %s ended as %s", (stopReason, outcome) => {
  expect(endOfAnswer({ stopReason }).outcome).toBe(outcome);
});

test("an invalid answer ended as crashed", () => {
  expect(endOfAnswer(null).outcome).toBe("crashed");
});

test("an error among an agent's words is its last one", () => {
  const said = "Info: Retrying...Error: Authentication failed with provider (HTTP 401).";
  expect(endOfWords(said)).toEqual({
    outcome: "auth",
    reason: "Error: Authentication failed with provider (HTTP 401).",
  });
  expect(endOfWords("all is well")).toBe(null);
});
