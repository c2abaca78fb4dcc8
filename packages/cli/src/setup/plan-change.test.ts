import { NO_LIMITS } from "@uncaged/workflow-protocol";
import type { Settings } from "@uncaged/workflow-register";
import { describe, expect, it } from "vitest";
import { type Answers, NO_ANSWERS } from "./answers.ts";
import { planChange } from "./plan-change.ts";

const settings: Settings = {
  maxDepth: 3,
  retentionDays: null,
  notify: new Map(),
  telemetry: null,
  store: "files",
  tasks: {
    ...{ integration: null, worktrees: null, setup: null, mergeCheck: null },
    ...{ mergeByHost: false, reviewers: [], taskPool: null },
  },
  checks: { path: [], variables: [] },
  isolation: "none",
  snapshots: true,
  limits: NO_LIMITS,
  supervisorInterval: 0,
  providers: new Map([["mine", { baseUrl: "https://mine.test/v1", apiKey: "$MINE" }]]),
  models: new Map(),
  agents: new Map([["claude", { package: "x", options: {} }]]),
  bindings: new Map(),
  defaultAgent: null,
};

function planned(answers: Partial<Answers>): unknown {
  const change = planChange(settings, { ...NO_ANSWERS, ...answers });
  return change.ok ? change.value : `${change.error.code}: ${change.error.message}`;
}

describe("planning a setup", () => {
  it("needs only the name of a known provider", () => {
    expect(planned({ provider: "openrouter", model: "vendor/m" })).toEqual({
      providers: {
        openrouter: { baseUrl: "https://openrouter.ai/api/v1", apiKey: "$OPENROUTER_API_KEY" },
      },
      models: { extract: "openrouter/vendor/m" },
    });
  });

  it("keeps the configured parts of a provider that are not given again", () => {
    expect(planned({ provider: "mine", baseUrl: "https://new.test/v1" })).toEqual({
      providers: { mine: { baseUrl: "https://new.test/v1", apiKey: "$MINE" } },
    });
    expect(planned({ provider: "mine", apiKey: "sk-1" })).toEqual({
      providers: { mine: { baseUrl: "https://mine.test/v1", apiKey: "sk-1" } },
    });
  });

  it("accepts models with their providers when none is named", () => {
    expect(
      planned({
        model: "mine/a",
        supervisorModel: "mine/b/c",
        summarizerModel: "mine/d",
        supervisorInterval: 5,
        defaultAgent: "claude",
      }),
    ).toEqual({
      models: { extract: "mine/a", supervisor: "mine/b/c", summarizer: "mine/d" },
      supervisorInterval: 5,
      defaultAgent: "claude",
    });
  });

  it.each([
    [{ baseUrl: "https://x.test" }, "USAGE: a URL or a key needs a provider"],
    [{ provider: "nobody" }, 'USAGE: provider "nobody" is not known'],
    [{ provider: "A B" }, 'USAGE: "A B" is not a provider name'],
    [{ provider: "x", baseUrl: "ftp://x" }, 'USAGE: "ftp://x" is not an http or https URL'],
    [
      { provider: "mine", apiKeyEnv: "sk-123" },
      "USAGE: --api-key-env is not the name of a variable",
    ],
    [{ model: "alone" }, 'USAGE: "alone" is not a model'],
    [{ defaultAgent: "nobody" }, 'AGENT_NOT_FOUND: config.agents has no agent "nobody"'],
  ])("refuses %j", (answers, refusal) => {
    expect(planned(answers)).toBe(refusal);
  });
});
