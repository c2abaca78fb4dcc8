import { describe, expect, it } from "vitest";
import { codexUsage } from "./codex-event.ts";
import { usageDelta } from "./usage-delta.ts";

const counters = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
});

describe("usageDelta", () => {
  it("is all of the counters in a new thread", () => {
    expect(usageDelta(counters(2000, 100, 50), null)).toEqual({
      inputTokens: 2000,
      cachedInputTokens: 100,
      outputTokens: 50,
      costUsd: null,
    });
  });

  it("is what a turn added to those of its thread", () => {
    const before = codexUsage({ input_tokens: 2000, cached_input_tokens: 100, output_tokens: 50 });
    expect(usageDelta(counters(3000, 100, 60), before)).toMatchObject({
      inputTokens: 1000,
      cachedInputTokens: 0,
      outputTokens: 10,
    });
  });

  it("is all of a counter that was reset", () => {
    expect(usageDelta(counters(500, 0, 5), counters(3000, 100, 2)).inputTokens).toBe(500);
  });

  it("ignores counters of another agent", () => {
    expect(codexUsage({ total_cost_usd: 1 })).toBeNull();
    expect(codexUsage(null)).toBeNull();
  });
});
