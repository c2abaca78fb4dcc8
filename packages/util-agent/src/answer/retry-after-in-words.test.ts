import { expect, it } from "vitest";
import { retryAfterInWords } from "./retry-after-in-words.ts";

it.each([
  [1_898, "Rate limit reached for gpt-5.4 on tokens per min. Please try again in 1.898s."],
  [28, "Rate limit reached. Please try again in 28ms. Visit the console."],
  [20_000, "429 Too Many Requests, retry after 20 seconds"],
  [30_000, 'RESOURCE_EXHAUSTED {"retry-after":"30"}'],
  [3_600_000, "You have hit your usage limit. Try again in 1 hour."],
  [300_000, "quota exceeded: wait 5 minutes"],
  [86_400_000, "usage limit reached, resets in 1 day"],
  [45_000, "slow down (Retry-After: 45)"],
  [null, "exceeded retry limit, last status: 429 Too Many Requests"],
  [null, "You have hit your usage limit. Try again later."],
  [null, ""],
])("is %s ms for: %s", (ms, words) => {
  expect(retryAfterInWords(words)).toBe(ms);
});
