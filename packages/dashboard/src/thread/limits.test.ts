import { expect, test } from "vitest";
import { limitsInWords, NO_TYPED, typedLimits } from "./limits.ts";

test("what is left empty is no limit, minutes become milliseconds", () => {
  expect(typedLimits(NO_TYPED)).toEqual({ limits: {}, faults: {} });
  expect(typedLimits({ steps: " 20 ", tokens: "", costUsd: "1.5", minutes: "0.5" })).toEqual({
    limits: { steps: 20, costUsd: 1.5, timeMs: 30_000 },
    faults: {},
  });
});

test("what is no number is said at its place", () => {
  const { limits, faults } = typedLimits({ steps: "1.5", tokens: "-1", costUsd: "x", minutes: "" });
  expect(limits).toEqual({});
  expect(Object.keys(faults)).toEqual(["steps", "tokens", "costUsd"]);
});

test("limits are said in words, the thread's before those of its roles", () => {
  expect(
    limitsInWords({
      steps: 20_000,
      tokens: 1_234_567,
      costUsd: 1.5,
      timeMs: 1_800_000,
      roles: { coder: { steps: 1 }, tester: { costUsd: 2 } },
    }),
  ).toEqual([
    "20,000 steps, 1,234,567 tokens, $1.50, 30 min 00 s",
    "coder: 1 step",
    "tester: $2.00",
  ]);
  expect(limitsInWords({ roles: { coder: { steps: 3 } } })).toEqual(["coder: 3 steps"]);
});
