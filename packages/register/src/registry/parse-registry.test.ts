import { NO_LIMITS } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { parseRegistry } from "./parse-registry.ts";
import type { Registry } from "./registry.ts";

const SHA = "ab".repeat(32);

function registryOf(text: string): Registry {
  const file = parseRegistry(text, "workflow.yaml");
  if (!file.ok) throw new Error(file.error.message);
  return file.value.registry;
}

function problemOf(text: string): string {
  const file = parseRegistry(text, "workflow.yaml");
  return file.ok ? "no problem" : `${file.error.code} ${file.error.message}`;
}

describe("a registry file", () => {
  it("that is empty, or holds only comments, is an empty registry with the defaults", () => {
    for (const text of ["", "# nothing yet\n", "workflows:\nconfig:\n", "{}"]) {
      const { workflows, settings } = registryOf(text);
      expect(workflows.size).toBe(0);
      expect(settings).toEqual({
        maxDepth: 3,
        checks: { path: [], variables: [] },
        isolation: "auto",
        snapshots: true,
        supervisorInterval: 0,
        retentionDays: null,
        notify: new Map(),
        providers: new Map(),
        models: new Map(),
        agents: new Map(),
        bindings: new Map(),
        defaultAgent: null,
        limits: NO_LIMITS,
        store: "files",
        telemetry: null,
        tasks: {
          integration: null,
          worktrees: null,
          setup: null,
          mergeCheck: null,
          mergeByHost: false,
          reviewers: [],
          taskPool: null,
        },
      });
    }
  });

  it("returns what tasks are made with, and refuses a folder that depends on where one is", () => {
    const text =
      "config: { integration: next, worktrees: /trees, setup: npm ci, mergeCheck: npm test, mergeByHost: true, reviewers: [review/reviewer], taskPool: ada }";
    expect(registryOf(text).settings.tasks).toEqual({
      ...{ integration: "next", worktrees: "/trees", setup: "npm ci", mergeCheck: "npm test" },
      mergeByHost: true,
      reviewers: ["review/reviewer"],
      taskPool: "ada",
    });
    expect(parseRegistry("config: { taskPool: a b }", "workflow.yaml")).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("config.taskPool must be the name of a pool") },
    });
    expect(parseRegistry("config: { reviewers: [reviewer] }", "workflow.yaml")).toMatchObject({
      ok: false,
      error: {
        message: expect.stringContaining("config.reviewers.0 must be a role of a workflow"),
      },
    });
    expect(parseRegistry("config: { worktrees: trees }", "workflow.yaml")).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("config.worktrees must be an absolute path") },
    });
  });

  it("returns its limits, with the agents that call a provider", () => {
    const { settings } = registryOf(`
config:
  providers: { openai: { baseUrl: "https://example.org/v1" } }
  models: { big: openai/huge }
  agents:
    one: { package: a, options: { model: big } }
    two: { package: a, options: { model: openai/small } }
    three: { package: a, options: { model: other/small } }
    four: { package: a }
  limits:
    threads: 4
    workflows: { review: { atOnce: 2 } }
    agents: { one: { atOnce: 1 } }
    providers: { openai: { requestsPerMinute: 9, agents: [four] }, other: { tokensPerMinute: 5 } }
    budgetPerDay: { tokens: 100, dollars: 0.5, zone: europe/zurich }
`);
    expect(settings.limits).toEqual({
      threads: 4,
      workflows: { review: 2 },
      agents: { one: 1 },
      providers: {
        openai: { requestsPerMinute: 9, tokensPerMinute: null, agents: ["four", "one", "two"] },
        other: { requestsPerMinute: null, tokensPerMinute: 5, agents: [] },
      },
      budgetPerDay: { tokens: 100, costUsd: 0.5, zone: "Europe/Zurich" },
    });
  });

  it("returns its configuration typed, with references to the environment as they are written", () => {
    const { settings } = registryOf(`
config:
  maxDepth: 5
  supervisorInterval: 10
  retention: { days: 30 }
  telemetry: { endpoint: "http://localhost:4318", content: true }
  providers:
    openrouter: { baseUrl: "https://example.org/v1", apiKey: "$OPENROUTER_API_KEY" }
    local: { baseUrl: "http://127.0.0.1:8080" }
  models:
    extract: "openrouter/vendor/model"
  agents:
    claude: { package: "@uncaged/workflow-agent-claude-code", options: { effort: high, flags: [1, true] } }
    plain: { package: "@uncaged/workflow-agent-command" }
  defaultAgent: claude
`);
    expect(settings.maxDepth).toBe(5);
    expect(settings.supervisorInterval).toBe(10);
    expect(settings.retentionDays).toBe(30);
    expect(settings.telemetry).toEqual({ endpoint: "http://localhost:4318", content: true });
    expect(settings.providers.get("openrouter")).toEqual({
      baseUrl: "https://example.org/v1",
      apiKey: "$OPENROUTER_API_KEY",
    });
    expect(settings.providers.get("local")?.apiKey).toBeNull();
    expect(settings.models.get("extract")).toEqual({
      provider: "openrouter",
      model: "vendor/model",
    });
    expect(settings.agents.get("claude")?.options).toEqual({ effort: "high", flags: [1, true] });
    expect(settings.agents.get("plain")?.options).toEqual({});
    expect(settings.defaultAgent).toBe("claude");
  });

  it("returns the agents for the roles of a workflow on this machine", () => {
    const { settings } = registryOf(`
config:
  bindings:
    review: { writer: codex, constructor: claude }
    empty:
  agents: { codex: { package: a }, claude: { package: b } }
`);
    const roles = new Map(settings.bindings.get("review"));
    expect([...roles]).toEqual([
      ["writer", "codex"],
      ["constructor", "claude"],
    ]);
    expect(settings.bindings.get("empty")?.size).toBe(0);
    expect(settings.bindings.get("toString")).toBeUndefined();
  });

  it("returns each workflow's versions, newest first", () => {
    const { workflows } = registryOf(`
workflows:
  solve-issue:
    hash: "0123456789ABC"
    sha256: "${SHA}"
    timestamp: 2
    history: [{ hash: "1123456789ABC", sha256: "${SHA}", timestamp: 1 }]
`);
    expect(workflows.get("solve-issue")).toEqual({
      hash: "0123456789ABC",
      sha256: SHA,
      timestamp: 2,
      history: [{ hash: "1123456789ABC", sha256: SHA, timestamp: 1 }],
    });
  });

  it("returns whom the host tells, with what each leaves out", () => {
    const { settings } = registryOf(`
config:
  notify:
    desk: { command: [notify-send, ""] }
    team:
      url: https://example.org/hook
      secret: $HOOK
      events: [failed, waits]
      workflows: [review]
      labels: { team: docs }
`);
    expect([...settings.notify]).toEqual([
      [
        "desk",
        {
          to: { kind: "command", words: ["notify-send", ""] },
          events: ["waits", "failed", "completed"],
          workflows: null,
          labels: {},
        },
      ],
      [
        "team",
        {
          to: { kind: "webhook", url: "https://example.org/hook", secret: "$HOOK" },
          events: ["failed", "waits"],
          workflows: ["review"],
          labels: { team: "docs" },
        },
      ],
    ]);
  });

  it("keeps names that are properties of every object separate from those", () => {
    expect(registryOf("").workflows.get("constructor")).toBeUndefined();
    expect(registryOf("config: { models: { constructor: a/b } }").settings.models.size).toBe(1);
  });
});

describe("a broken registry file", () => {
  const entry = (fields: string): string => `workflows:\n  flow:\n${fields}`;

  it.each([
    ["of broken YAML", "config: [1, 2", "workflow.yaml:1:14: "],
    ["with a key twice", "config: {}\nconfig: {}\n", "workflow.yaml:2:1: Map keys must be unique"],
    ["of two documents", "a: 1\n---\nb: 2\n", "Source contains multiple documents"],
    ["that is a list", "- a\n", "workflow.yaml:1:1: the file must be a mapping"],
    [
      "with a text for a number",
      "config:\n  maxDepth: deep\n",
      "workflow.yaml:2:13: config.maxDepth must be a whole number",
    ],
    [
      "with a negative number",
      "config: { maxDepth: -1 }",
      "config.maxDepth must be a whole number",
    ],
    [
      "with telemetry to no address",
      "config: { telemetry: { endpoint: collector } }",
      "config.telemetry.endpoint must be an http or https URL",
    ],
    [
      "with telemetry that perhaps has content",
      "config: { telemetry: { content: maybe } }",
      "config.telemetry.content must be true or false",
    ],
    [
      "with a retention without days",
      "config: { retention: {} }",
      "config.retention.days is missing",
    ],
    [
      "with a store of another kind",
      "config: { store: boxes }",
      "config.store must be files or packed",
    ],
    [
      "with an isolation of another kind",
      "config: { isolation: docker }",
      "config.isolation must be none, auto or sandbox",
    ],
    [
      "with a folder of programs beside wherever",
      "config: { checks: { path: [bin] } }",
      "config.checks.path.0 must be the absolute path of a folder",
    ],
    [
      "with a variable and its value",
      "config: { checks: { variables: [A=1] } }",
      "config.checks.variables.0 must be the name of a variable",
    ],
    [
      "with a listener that is told nowhere",
      "config: { notify: { desk: {} } }",
      "config.notify.desk must have a command or a url, and not both",
    ],
    [
      "with a listener that is told twice",
      "config: { notify: { desk: { command: [a], url: https://a } } }",
      "config.notify.desk must have a command or a url, and not both",
    ],
    [
      "with a command in one text",
      "config:\n  notify:\n    desk:\n      command: notify-send hello\n",
      "workflow.yaml:4:16: config.notify.desk.command must be a list: the program, then each argument",
    ],
    [
      "with a command of nothing",
      "config: { notify: { desk: { command: [] } } }",
      "config.notify.desk.command.0 is missing",
    ],
    [
      "with an address of another kind",
      "config: { notify: { desk: { url: ftp://a } } }",
      "config.notify.desk.url must be an address that begins with https:// or http://",
    ],
    [
      "with an event that nobody is told of",
      "config: { notify: { desk: { command: [a], events: [waits, done] } } }",
      "config.notify.desk.events.1 must be one of: waits, failed, completed",
    ],
    [
      "with a listener to nothing",
      "config: { notify: { desk: { command: [a], events: [] } } }",
      "config.notify.desk.events must name at least one",
    ],
    [
      "with a filter that is not known",
      "config: { notify: { desk: { command: [a], event: [waits] } } }",
      "config.notify.desk.event is not known; a listener has: command, url, secret",
    ],
    [
      "with a label of another type",
      "config: { notify: { desk: { command: [a], labels: { tier: 1 } } } }",
      "config.notify.desk.labels.tier must be a text",
    ],
    [
      "with a secret for a command",
      "config: { notify: { desk: { command: [a], secret: s } } }",
      "config.notify.desk.secret is for a url",
    ],
    [
      "with a limit that is misspelt",
      "config: { limits: { treads: 4 } }",
      "config.limits.treads is not known here; there are: threads, workflows, agents, providers, budgetPerDay",
    ],
    [
      "with a limit of nothing",
      "config: { limits: { threads: 0 } }",
      "config.limits.threads must be 1 or more; to start nothing: uncaged-workflow queue pause",
    ],
    [
      "with a limit without a number",
      "config: { limits: { workflows: { review: {} } } }",
      "config.limits.workflows.review.atOnce is missing",
    ],
    [
      "with a limit for an agent that it does not have",
      "config: { agents: { a: { package: a } }, limits: { agents: { b: { atOnce: 1 } } } }",
      'config.limits.agents.b names "b", which config.agents does not have (it has: a)',
    ],
    [
      "with a provider's limit that limits nothing",
      "config: { limits: { providers: { p: { agents: [] } } } }",
      "config.limits.providers.p limits nothing; give it requestsPerMinute or tokensPerMinute",
    ],
    [
      "with a budget in no zone",
      "config: { limits: { budgetPerDay: { tokens: 1, zone: Mars/Base } } }",
      "config.limits.budgetPerDay.zone must be a time zone, such as Europe/Zurich or UTC",
    ],
    [
      "with a budget of nothing",
      "config: { limits: { budgetPerDay: { dollars: 0 } } }",
      "config.limits.budgetPerDay.dollars must be a number above 0",
    ],
    [
      "with a model of no provider",
      "config: { models: { extract: gpt } }",
      "config.models.extract must be <provider>/<model>",
    ],
    [
      "with a binding to an agent that it does not have",
      "config:\n  agents: { a: { package: a } }\n  bindings:\n    flow:\n      writer: b\n",
      'workflow.yaml:5:15: config.bindings.flow.writer is "b", which config.agents does not have (it has: a)',
    ],
    [
      "with a binding that is a number",
      "config: { bindings: { flow: { writer: 7 } } }",
      "config.bindings.flow.writer must be a text",
    ],
    [
      "with a binding of a workflow as a whole",
      "config: { bindings: { flow: a } }",
      "config.bindings.flow must be a mapping",
    ],
    ["with a list of bindings", "config: { bindings: [a] }", "config.bindings must be a mapping"],
    [
      "with a provider of no address",
      "config: { providers: { p: { apiKey: k } } }",
      "config.providers.p.baseUrl is missing",
    ],
    [
      "with a hash that YAML took for a number",
      entry("    hash: 1234567890123\n"),
      "workflow.yaml:3:11: workflows.flow.hash must be a text",
    ],
    [
      "with a path for a hash",
      entry('    hash: "../../../etc"\n'),
      "workflows.flow.hash must be a hash",
    ],
    [
      "with no digest",
      entry('    hash: "0123456789ABC"\n    timestamp: 1\n'),
      "workflow.yaml:3:5: workflows.flow.sha256 is missing",
    ],
    [
      "with a name that is no name",
      "workflows:\n  My Flow: {}\n",
      "workflows.My Flow is not a workflow name",
    ],
    [
      "with __proto__ as a name",
      "workflows:\n  __proto__: {}\n",
      "workflows.__proto__ is not a workflow name",
    ],
    ["with ../ as a name", 'workflows:\n  "../x": {}\n', "workflows.../x is not a workflow name"],
    [
      "with an alias between workflows",
      "workflows:\n  a: &x {}\n  b: *x\n",
      "workflows may not contain anchors",
    ],
    ["with an alias to nothing", "config: *nothing\n", "cannot be read: Unresolved alias"],
    ["with a bomb of aliases", bomb(), "cannot be read: Excessive alias count"],
  ])("%s is refused, and the message says where", (_, text, message) => {
    expect(problemOf(text)).toContain(message);
    expect(problemOf(text)).toMatch(/^CONFIG_INVALID workflow\.yaml/);
  });
});

function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 8; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(", ")}]`,
    );
  }
  return lines.join("\n");
}
