import { describe, expect, it } from "vitest";
import { limitsInWords, rulesInWords } from "./rules-in-words.ts";

describe("the rules of a role", () => {
  it("are listed one by one: time, retries, limits, evidence", () => {
    expect(
      rulesInWords({
        timeoutMs: 900_000,
        retry: { attempts: 2, on: ["rate_limited", "timeout"] },
        limits: { steps: 20, tokens: 100_000, costUsd: 1.5, timeMs: 3_600_000 },
        requiredEvidence: [{ name: "tests", kind: "execute", input: "^npm test$" }],
      }),
    ).toEqual([
      "15 min a run",
      "2 retries on rate_limited, timeout",
      "at most 20 steps",
      "at most 100,000 tokens",
      "at most $1.5",
      "at most 1 h",
      "has to show tests",
    ]);
  });

  it("are empty when there are none", () => {
    expect(rulesInWords({})).toEqual([]);
    expect(limitsInWords({ steps: 1 })).toEqual(["at most 1 step"]);
    expect(rulesInWords({ retry: { attempts: 1 } })).toEqual(["1 retry"]);
  });
});
