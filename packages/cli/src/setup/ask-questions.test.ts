import { NO_LIMITS } from "@uncaged/workflow-protocol";
import type { Settings } from "@uncaged/workflow-register";
import { expect, it } from "vitest";
import type { Questions } from "../terminal/questions.ts";
import { NO_ANSWERS } from "./answers.ts";
import { askQuestions } from "./ask-questions.ts";

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
  providers: new Map([["mine", { baseUrl: "https://mine.test/v1", apiKey: null }]]),
  models: new Map(),
  agents: new Map([["claude", { package: "x", options: {} }]]),
  bindings: new Map(),
  defaultAgent: null,
};

/** A person with these answers; the question's own validation applies. */
function person(...answers: (string | null)[]): Questions & { asked: string[] } {
  const asked: string[] = [];
  const next = (question: string): string | null => {
    asked.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    return answer;
  };
  return {
    asked,
    choose: async (question, choices) => {
      const answer = next(question);
      if (answer === null || choices.some(({ value }) => value === answer)) return answer;
      throw new Error(`${question} does not offer ${answer}`);
    },
    text: async (question, { check }) => {
      const answer = next(question);
      const problem = answer === null ? null : check(answer);
      if (problem !== null) throw new Error(`${question}: ${problem}`);
      return answer;
    },
    secret: async (question) => next(question),
  };
}

it("asks for a known provider's key, its model, and a supervisor", async () => {
  const asked = person("openai", "env", "MY_KEY", "gpt-x", "5", "yes", "claude");
  expect(await askQuestions(asked, { settings, env: {}, before: null })).toEqual({
    ...NO_ANSWERS,
    provider: "openai",
    apiKeyEnv: "MY_KEY",
    model: "gpt-x",
    supervisorModel: "gpt-x",
    supervisorInterval: 5,
    summarizerModel: "gpt-x",
    defaultAgent: "claude",
  });
});

it("asks for the address of an unknown provider, and accepts a pasted key", async () => {
  const asked = person(
    "another",
    "https://host.test/v1",
    "host",
    "file",
    "sk-1",
    "m",
    "0",
    "no",
    "",
  );
  expect(await askQuestions(asked, { settings, env: {}, before: null })).toEqual({
    ...NO_ANSWERS,
    provider: "host",
    baseUrl: "https://host.test/v1",
    apiKey: "sk-1",
    model: "m",
    supervisorInterval: 0,
  });
});

it("asks nothing more about a provider that is configured or needs no key", async () => {
  for (const provider of ["mine", "ollama"]) {
    const asked = person(provider, "m", "0", "no", "");
    expect(await askQuestions(asked, { settings, env: {}, before: null })).toMatchObject({
      provider,
      model: "m",
    });
  }
});

it("does not ask a person who only uses agents for a model", async () => {
  const asked = person("", "claude");
  expect(await askQuestions(asked, { settings, env: {}, before: null })).toEqual({
    ...NO_ANSWERS,
    defaultAgent: "claude",
  });
});

it("suggests what was answered before, the pasted key included", async () => {
  const before = {
    ...NO_ANSWERS,
    ...{ provider: "host", baseUrl: "https://host.test/v1", apiKey: "sk-1", model: "m" },
  };
  const suggested: (string | undefined)[] = [];
  const questions: Questions = {
    choose: async (question, _choices, marked) => {
      suggested.push(marked);
      return question === "Where is the key?" ? "same" : (marked ?? "");
    },
    text: async (_question, { suggestion }) => {
      suggested.push(suggestion);
      return suggestion;
    },
    secret: async () => "never asked",
  };
  const again = await askQuestions(questions, { settings, env: {}, before });
  expect(again).toEqual({ ...before, supervisorInterval: 0 });
  expect(suggested).toEqual([
    "another",
    "https://host.test/v1",
    "host",
    undefined,
    "m",
    "0",
    "no",
    "",
  ]);
});

it("stops asking as soon as the person cancels", async () => {
  const answers = ["another", "https://host.test/v1", "host", "env", "KEY", "m", "5", "yes"];
  for (let given = 0; given <= answers.length; given++) {
    const asked = person(...answers.slice(0, given), null);
    expect(await askQuestions(asked, { settings, env: {}, before: null })).toBeNull();
    expect(asked.asked).toHaveLength(given + 1);
  }
});
