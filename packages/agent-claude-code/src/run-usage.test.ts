import { describe, expect, it } from "vitest";
import { turnUsage } from "./run-usage.ts";

const counters = (inputTokens: number, costUSD: number) => ({
  model: {
    inputTokens,
    outputTokens: 50,
    cacheReadInputTokens: 7,
    cacheCreationInputTokens: 3,
    costUSD,
  },
});

describe("the usage of a turn", () => {
  it("is the difference that the program reports, over all its models", () => {
    const { usage, rawUsage } = turnUsage(
      {
        modelUsage: counters(9_000, 0.9),
        model_usage_since_last_result: {
          ...counters(1_000, 0.25),
          small: { inputTokens: 10, outputTokens: 1, costUSD: 0.5 },
        },
      },
      counters(1, 0),
    );
    expect(usage).toEqual({
      inputTokens: 1_020,
      outputTokens: 51,
      cachedInputTokens: 7,
      costUsd: 0.75,
    });
    expect(rawUsage).toEqual(counters(9_000, 0.9));
  });

  it("is computed from the session's counters when the program returns no difference", () => {
    const { usage } = turnUsage({ modelUsage: counters(3_000, 0.75) }, counters(1_000, 0.5));
    expect(usage).toEqual({
      inputTokens: 2_000,
      outputTokens: 0,
      cachedInputTokens: 0,
      costUsd: 0.25,
    });
  });

  it("is the session's total in its first turn", () => {
    expect(turnUsage({ modelUsage: counters(3_000, 0.75) }, null).usage?.inputTokens).toBe(3_010);
  });

  it("is never negative, even if the counters were reset", () => {
    const { usage } = turnUsage({ modelUsage: counters(10, 0) }, counters(1_000, 1));
    expect(usage).toMatchObject({ inputTokens: 0, costUsd: 0 });
  });

  it("has no cost when the program reports none", () => {
    const { costUSD: _, ...free } = counters(10, 0).model;
    expect(turnUsage({ modelUsage: { free } }, null).usage?.costUsd).toBeNull();
  });

  it("is unknown when the program does not count", () => {
    expect(turnUsage({}, null)).toEqual({ usage: null, rawUsage: null });
  });
});
