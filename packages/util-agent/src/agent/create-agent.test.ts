import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StepRun } from "@uncaged/workflow-protocol";
import { describe, expect, it, vi } from "vitest";
import {
  cwd,
  failed,
  GOOD,
  inEmptyFolders,
  NEEDS_TESTS,
  play,
  schema,
  usage,
} from "../testing/agent-scene.test.helper.ts";
import { fakeDriver, seenCall } from "../testing/fake-driver.test.helper.ts";
import { fakeContext, fakeRuntime } from "../testing/fake-runtime.ts";
import { createAgent } from "./create-agent.ts";

inEmptyFolders();

describe("a step of an agent", () => {
  it("returns its answer, what it said, and the record of its run", async () => {
    const runtime = fakeRuntime({ cwd });
    const driver = fakeDriver([{ text: GOOD, usage: usage(7), rawUsage: { total: 7 } }]);
    const { meta, content, run } = await play(driver, { runtime });
    expect(meta).toEqual({ status: "done" });
    expect(content).toBe(GOOD);
    expect(run).toEqual({
      agent: { name: "fake", version: "1.2.3" },
      session: "session-1",
      prompt: expect.any(String),
      startedAt: expect.any(Number),
      completedAt: expect.any(Number),
      usage: usage(7),
      rawUsage: { total: 7 },
      cwd,
      evidence: [],
    });
    expect(runtime.texts.get(run?.prompt ?? "")).toBe(driver.prompts[0]);
    expect(driver.closed).toBe(1);
  });

  it("of an agent that reports no usage is estimated from the text, so that a budget holds", async () => {
    const driver = fakeDriver([{ text: "no answer" }, { text: GOOD, usage: usage(1_000) }]);
    const { run } = await play(driver);
    const sent = driver.prompts[0]?.length ?? 0;
    expect(run?.usage).toEqual({
      inputTokens: Math.ceil(sent / 4) + 1_000,
      outputTokens: Math.ceil("no answer".length / 4),
      cachedInputTokens: 0,
      costUsd: null,
      estimated: true,
    });
    const silent = await failed(fakeDriver([{ outcome: "crashed" }]));
    expect(silent.run?.usage).toBeNull();
  });

  it("is told its role, its task, and the form of its answer", async () => {
    const driver = fakeDriver([{ text: GOOD }]);
    await play(driver);
    expect(driver.prompts[0]).toMatch(/^You code\.\n\n# Task\n\n```text\nMend it\.\n```\n/);
    expect(driver.prompts[0]).toContain('"enum": [\n        "done",');
    expect(driver.opened[0]).toMatchObject({
      role: "coder",
      systemPrompt: "You code.",
      session: null,
      policy: null,
      outputSchema: { type: "object" },
      reminder: expect.stringContaining("thread context 01KAJ2Z6PVX0000000000000ZZ"),
    });
  });

  it("accepts a task of 2 MB", async () => {
    const runtime = fakeRuntime({ cwd });
    const driver = fakeDriver([{ text: GOOD }]);
    const task = "x".repeat(2_000_000);
    const { run } = await play(driver, { runtime, ctx: fakeContext(task) });
    expect(driver.prompts[0]).toContain(task);
    expect(runtime.texts.get(run?.prompt ?? "")).toContain(task);
  });

  it("shows its start, what its driver emits, and its end", async () => {
    const runtime = fakeRuntime({ cwd });
    const driver = fakeDriver([
      { text: GOOD, during: ({ emit }) => emit({ type: "text", text: "Working " }) },
    ]);
    await play(driver, { runtime });
    expect(runtime.events).toEqual([
      { type: "started", agent: "fake", session: null },
      { type: "text", text: "Working " },
      { type: "end", outcome: "ok", reason: "" },
    ]);
  });

  it("has a folder that nobody else can read, unless the user's own configuration is used", async () => {
    await play(fakeDriver([{ text: GOOD }]), { options: { config: "user" } });
    await expect(stat(join(cwd, "home"))).rejects.toThrow("ENOENT");
    await play(fakeDriver([{ text: GOOD }]));
    expect((await stat(join(cwd, "home"))).mode & 0o777).toBe(0o700);
  });

  it("sees the variables that its driver and its binding name, and no other secret", async () => {
    vi.stubEnv("FAKE_API_KEY", "fake-key-0123456789");
    vi.stubEnv("OTHER_API_KEY", "other-key-0123456789");
    vi.stubEnv("EXTRA", "2");
    const driver = fakeDriver([{ text: GOOD }], { passEnv: ["FAKE_API_KEY"] });
    await play(driver, { options: { passEnv: ["EXTRA"], env: { SET: "3" } } });
    expect(driver.opened[0]?.env).toMatchObject({
      FAKE_API_KEY: "fake-key-0123456789",
      EXTRA: "2",
      SET: "3",
      UNCAGED_ROLE: "coder",
    });
    expect(driver.opened[0]?.env).not.toHaveProperty("OTHER_API_KEY");
  });
});

describe("an agent is refused before it starts", () => {
  const can = { evidence: true, policy: true, resume: true };
  const deny = { deny: [{ kind: "edit" as const }] };

  it("for a role with a tool policy when it cannot enforce any", async () => {
    const driver = fakeDriver([], { can: { ...can, policy: false } });
    const error = await failed(driver, { runtime: fakeRuntime({ cwd, rules: { tools: deny } }) });
    expect(error.failure.message).toMatch(/role coder has `tools`.*fake/);
    expect(driver.probes).toBe(0);
  });

  it("for a particular policy that it cannot enforce", async () => {
    const driver = fakeDriver([], { refuses: () => "only whole sandboxes" });
    const error = await failed(driver, { runtime: fakeRuntime({ cwd, rules: { tools: deny } }) });
    expect(error.failure.message).toContain("only whole sandboxes");
  });

  it("for a role without a network when its commands would have one", async () => {
    const runtime = fakeRuntime({ cwd, rules: { tools: { network: false } } });
    const error = await failed(fakeDriver([], { can }), { runtime });
    expect(error.failure.message).toContain("cannot be kept from the network");
  });

  it("for a role without a network when there is no sandbox to keep it in", async () => {
    const runtime = fakeRuntime({ cwd, rules: { tools: { network: false } } });
    const driver = fakeDriver([], { can: { ...can, offline: "sandbox" } });
    expect((await failed(driver, { runtime })).failure.message).toContain("no");
    expect(driver.opened).toEqual([]);
  });

  it("for a role that requires evidence when it reports none", async () => {
    const driver = fakeDriver([], { can: { ...can, evidence: false } });
    const error = await failed(driver, { runtime: fakeRuntime({ cwd, rules: NEEDS_TESTS }) });
    expect(error.failure.message).toMatch(/role coder has `requiredEvidence`, and fake/);
  });

  it("when it is not installed, with a hint", async () => {
    const driver = fakeDriver([], { probe: { installed: false, fix: "npm i -g fake" } });
    const error = await failed(driver);
    expect(error).toMatchObject({ outcome: "crashed", failure: { hint: "npm i -g fake" } });
    expect(driver.opened).toEqual([]);
  });

  it("when it is not logged in", async () => {
    const driver = fakeDriver([], { probe: { login: "missing", fix: "fake login" } });
    expect((await failed(driver)).failure).toEqual({
      code: "AGENT_AUTH",
      message: "fake is not logged in",
      hint: "fake login",
    });
  });

  it("but not any more once it has been installed", async () => {
    const probe = { installed: false };
    const driver = fakeDriver([{ text: GOOD }], { probe });
    const adapter = createAgent(driver)("You code.", schema);
    const first = adapter(fakeContext(""), fakeRuntime({ cwd }));
    await expect(first).rejects.toThrow("fake is not installed");
    probe.installed = true;
    expect((await adapter(fakeContext(""), fakeRuntime({ cwd }))).meta).toEqual({ status: "done" });
  });

  it("but is looked for only once per process", async () => {
    const driver = fakeDriver([{ text: GOOD }, { text: GOOD }]);
    const adapter = createAgent(driver)("You code.", schema);
    await adapter(fakeContext(""), fakeRuntime({ cwd }));
    await adapter(fakeContext(""), fakeRuntime({ cwd }));
    expect(driver.probes).toBe(1);
  });
});

it.each([
  ["it keeps its commands offline itself", "itself", { network: false }, false],
  ["no command is left to it", undefined, { network: false, deny: [{ kind: "execute" }] }, false],
  ["its sandbox does", "sandbox", { network: false }, true],
  ["its sandbox need not", "sandbox", {}, false],
] as const)(
  "an agent plays a role without a network when %s",
  async (_, offline, tools, without) => {
    const scope = { isolation: "sandbox", storageRoot: cwd } as const;
    const runtime = fakeRuntime({ cwd, rules: { tools }, ...scope });
    const can = { evidence: true, policy: true, resume: true };
    const driver = fakeDriver([{ text: GOOD }], {
      can: { ...can, ...(offline === undefined ? {} : { offline }) },
    });
    const { run } = await play(driver, { runtime });
    expect(run?.policy).toBe("held");
    expect(driver.opened[0]?.isolation?.offline).toBe(without);
  },
);

describe("a step that has to end", () => {
  it("because the thread is stopped ends as aborted, even if an answer came", async () => {
    const abort = new AbortController();
    const runtime = fakeRuntime({ cwd, signal: abort.signal });
    const driver = fakeDriver([
      {
        text: GOOD,
        usage: usage(1),
        during: async ({ signal }) => {
          abort.abort();
          expect(signal.aborted).toBe(true);
        },
      },
    ]);
    const error = await failed(driver, { runtime });
    expect(error).toMatchObject({
      outcome: "cancelled",
      failure: { code: "THREAD_ABORTED" },
      run: { usage: usage(1) },
    });
    expect(driver.closed).toBe(1);
  });

  it("before it began opens nothing", async () => {
    const runtime = fakeRuntime({ cwd, signal: AbortSignal.abort() });
    const driver = fakeDriver([{ text: GOOD }]);
    expect((await failed(driver, { runtime })).outcome).toBe("cancelled");
    expect(driver.opened).toEqual([]);
  });

  it("while its driver opens it ends as aborted, whatever the driver returns", async () => {
    const abort = new AbortController();
    const runtime = fakeRuntime({ cwd, signal: abort.signal });
    const driver = fakeDriver([], {
      open: async () => {
        abort.abort();
        throw new Error("the pipe is broken");
      },
    });
    expect((await failed(driver, { runtime })).failure.code).toBe("THREAD_ABORTED");
  });

  it("because its time is up, counted over all its turns", async () => {
    const limits: (number | null)[] = [];
    const turn = (ms: number) => ({
      text: "hm",
      during: async (step: { limits: { timeoutMs: number | null }; signal: AbortSignal }) => {
        limits.push(step.limits.timeoutMs);
        await sleep(ms, undefined, { signal: step.signal }).catch(() => {});
      },
    });
    const driver = fakeDriver([turn(200), turn(60_000), turn(0)]);
    const error = await failed(driver, { options: { timeoutMs: 3_000, repairs: 5 } });
    expect(error).toMatchObject({ outcome: "timeout", failure: { code: "AGENT_TIMEOUT" } });
    expect(driver.prompts).toHaveLength(2);
    expect(limits[0]).toBeLessThanOrEqual(3_000);
    expect(limits[1]).toBeLessThanOrEqual(2_800);
  });
});

describe("a secret", () => {
  it("from the environment is in nothing that is stored, shown or returned", async () => {
    vi.stubEnv("FAKE_API_KEY", "canary-0123456789");
    const leak = "the key is canary-0123456789!";
    const runtime = fakeRuntime({ cwd, rules: NEEDS_TESTS });
    const driver = fakeDriver([
      {
        text: `${leak}\n{"status":"done"}`,
        during: ({ emit, seen }) => {
          emit({ type: "text", text: "the key is canary-" });
          emit({ type: "text", text: "0123456789!" });
          emit({ type: "tool", phase: "start", id: "1", name: "Bash", input: { command: leak } });
          emit({ type: "permission", tool: "Bash", allowed: false, reason: leak });
          seen(seenCall({ input: { [leak]: [leak] }, output: leak, subject: leak }));
        },
      },
      { text: leak, outcome: "crashed", reason: leak },
    ]);
    const error = await failed(driver, { runtime });
    const { notes }: Partial<StepRun> = error.run ?? {};
    const everything = JSON.stringify([
      error.failure,
      notes,
      runtime.events,
      [...runtime.texts.values()],
    ]);
    expect(everything).toContain("[FAKE_API_KEY]");
    expect(everything).not.toContain("canary");
  });
});
