import fc from "fast-check";
import { expect, test } from "vitest";
import { countersAtStart, tokensOf, usageOfTurn } from "./usage.ts";

const NONE = countersAtStart(null);
const tokens = (inputTokens: number) => ({ inputTokens, outputTokens: 0, cachedInputTokens: 0 });

test("counters of a process add up to their last values", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { minLength: 1 }), (growth) => {
      let total = 0;
      let counters = NONE;
      let sum = 0;
      for (const each of growth) {
        total += each;
        const turn = usageOfTurn(counters, { tokens: tokens(total), costUsd: null }, "process");
        counters = turn.counters;
        sum += turn.usage?.inputTokens ?? Number.NaN;
      }
      expect(sum).toBe(total);
    }),
  );
});

test("counters of a turn are returned as they are", () => {
  const first = usageOfTurn(NONE, { tokens: tokens(5), costUsd: 1 }, "turn");
  const second = usageOfTurn(first.counters, { tokens: tokens(3), costUsd: 1.5 }, "turn");
  expect(second.usage).toEqual({ ...tokens(3), costUsd: 0.5 });
});

test("a counter that was reset counts from zero", () => {
  const first = usageOfTurn(NONE, { tokens: tokens(500), costUsd: 2 }, "process");
  const { usage } = usageOfTurn(first.counters, { tokens: tokens(20), costUsd: 0.5 }, "process");
  expect(usage).toEqual({ ...tokens(20), costUsd: 0.5 });
});

test("a process that resumes a session counts its own tokens, and the session's cost", () => {
  const first = usageOfTurn(NONE, { tokens: tokens(20), costUsd: 2 }, "process");
  const later = countersAtStart(first.counters);
  const { usage } = usageOfTurn(later, { tokens: tokens(20), costUsd: 3 }, "process");
  expect(usage).toEqual({ ...tokens(20), costUsd: 1 });
});

test("the usage of an agent that reports nothing is unknown", () => {
  const before = countersAtStart({ ...tokens(5), costUsd: 1 });
  const { usage, counters } = usageOfTurn(before, { tokens: null, costUsd: null }, "process");
  expect(usage).toBe(null);
  expect(counters).toEqual(before);
});

test("both forms in which agents report their tokens are read, and others are ignored", () => {
  expect(tokensOf({ usage: { inputTokens: 1, outputTokens: 2, cachedReadTokens: 3 } })).toEqual({
    inputTokens: 1,
    outputTokens: 2,
    cachedInputTokens: 3,
  });
  const quota = { token_count: { input_tokens: 1, output_tokens: 2 } };
  expect(tokensOf({ usage: null, _meta: { quota } })).toMatchObject({ inputTokens: 1 });
  for (const odd of [
    null,
    7,
    { usage: "much" },
    { usage: { inputTokens: -1 } },
    { _meta: { quota: null } },
  ]) {
    expect(tokensOf(odd)).toBe(null);
  }
});
