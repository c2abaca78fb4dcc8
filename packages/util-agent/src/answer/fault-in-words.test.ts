import { describe, expect, it } from "vitest";
import { faultInWords } from "./fault-in-words.ts";

describe("faultInWords", () => {
  it.each([
    ["context_overflow", "Input exceeds the maximum length of 1048576 characters. (code -32602)"],
    ["context_overflow", "Codex ran out of room in the model's context window."],
    [
      "context_overflow",
      "The input token count (2) exceeds the maximum number of tokens allowed (1).",
    ],
    ["context_overflow", "This model's maximum context length is 128000 tokens"],
    ["context_overflow", "Session too large to compact - context exceeds model limit"],
    ["context_overflow", "prompt is too long: 250000 tokens > 200000 maximum"],
    ["context_overflow", "Request exceeds the model's prompt budget after reserving output"],
    ["context_overflow", "Context is too large to send safely after automatic compression."],
    ["rate_limited", "Internal error: slow down"],
    ["rate_limited", "exceeded retry limit, last status: 429 Too Many Requests, request id: r"],
    ["rate_limited", "You've hit your usage limit."],
    ["auth", "unexpected status 401 Unauthorized: rate limit reached, url: http://host/v1"],
    ["auth", "Incorrect API key provided"],
    ["auth", "invalid x-api-key"],
    ["auth", "Missing environment variable: `LAB_KEY`."],
    ["auth", "Your access token could not be refreshed. Please log out and sign in again."],
    ["auth", "Error: Not logged in"],
    ["crashed", "We are experiencing high demand, which may cause temporary errors."],
    ["crashed", ""],
  ])("is %s for: %s", (fault, words) => {
    expect(faultInWords(words)).toBe(fault);
  });
});
