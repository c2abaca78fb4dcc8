import { expect, test } from "vitest";
import { endOfAnswer, outcomeOfWords } from "./turn-end.ts";

test.each([
  ["Internal error: slow down", "rate_limited"],
  ["exceeded retry limit, last status: 429 Too Many Requests", "rate_limited"],
  ["This model's maximum context length is 128000 tokens", "context_overflow"],
  ["Session too large to compact - context exceeds model limit", "context_overflow"],
  ["prompt is too long: 250000 tokens > 200000 maximum", "context_overflow"],
  ["Incorrect API key provided", "auth"],
  ["401 Unauthorized", "auth"],
  ["the disk is full", "crashed"],
])("%s: %s", (words, outcome) => {
  expect(outcomeOfWords(words)).toBe(outcome);
});

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

test("an answer that is none ended as crashed", () => {
  expect(endOfAnswer(null).outcome).toBe("crashed");
});
