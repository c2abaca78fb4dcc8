import { expect, test } from "vitest";
import { NO_TYPED, typedLimits } from "./limits.ts";

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
