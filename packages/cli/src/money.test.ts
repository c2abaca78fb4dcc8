import { expect, it } from "vitest";
import { cost, tokens } from "./money.ts";

const usage = (inputTokens: number, costUsd: number | null) => ({
  inputTokens,
  outputTokens: 0,
  cachedInputTokens: 0,
  costUsd,
});

it("writes amounts of money with as many places as say something", () => {
  expect([0, 0.0132, 0.99996, 1, 12.345].map((usd) => cost(usage(1, usd)))).toEqual([
    "$0.0000",
    "$0.0132",
    "$1.0000",
    "$1.00",
    "$12.35",
  ]);
});

it("writes numbers of tokens short", () => {
  expect([0, 999, 1_000, 12_345, 4_000_000].map((n) => tokens(usage(n, null)))).toEqual([
    "0",
    "999",
    "1.0k",
    "12.3k",
    "4.0M",
  ]);
});

it("shows a dash for what nobody reports", () => {
  expect([cost(null), cost(usage(1, null)), tokens(null)]).toEqual(["–", "–", "–"]);
});

it("marks numbers of tokens that nobody counted", () => {
  expect(tokens({ ...usage(12_345, null), estimated: true })).toBe("~12.3k");
});
