import { expect, it } from "vitest";
import { cost, tokens } from "./money.ts";

const usage = (inputTokens: number, costUsd: number | null) => ({
  inputTokens,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd,
});

it("writes amounts of money with as many decimals as are meaningful", () => {
  expect([0, 0.0132, 0.99996, 1, 12.345].map((usd) => cost(usage(1, usd)))).toEqual([
    "$0.0000",
    "$0.0132",
    "$1.0000",
    "$1.00",
    "$12.35",
  ]);
});

it("abbreviates numbers of tokens", () => {
  expect([0, 999, 1_000, 12_345, 4_000_000].map((n) => tokens(usage(n, null)))).toEqual([
    "0",
    "999",
    "1.0k",
    "12.3k",
    "4.0M",
  ]);
});

it("shows a dash for unreported amounts", () => {
  expect([cost(null), cost(usage(1, null)), tokens(null)]).toEqual(["–", "–", "–"]);
});

it("marks estimated numbers of tokens", () => {
  expect(tokens({ ...usage(12_345, null), estimated: true })).toBe("~12.3k");
});
