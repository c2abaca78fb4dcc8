import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openThreadStore } from "@uncaged/workflow-store";
import { newThreadId, ownIdentity } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Check } from "./check.ts";
import { checkSandbox } from "./check-sandbox.ts";
import { examine } from "./doctor.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-doctor-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Report = { ok: boolean; checks: Check[] };

async function examined(
  env: NodeJS.ProcessEnv = {},
): Promise<Report & { exitCode: number | undefined }> {
  const { value } = await examine({
    env: { PATH: process.env.PATH, ...env, WORKFLOW_STORAGE_ROOT: root },
    now: Date.now,
  });
  if (!("document" in value)) throw new Error("doctor returns a document");
  const document: Report = JSON.parse(JSON.stringify(value.document));
  return { ...document, exitCode: value.exitCode };
}

/** The only check that found something. */
async function onlyFault(env: NodeJS.ProcessEnv = {}): Promise<Check> {
  const { ok, checks, exitCode } = await examined(env);
  const faults = checks.filter((check) => !check.ok);
  expect(faults.map(({ name }) => name)).toHaveLength(1);
  expect([ok, exitCode]).toEqual([false, 1]);
  const [fault] = faults;
  if (fault === undefined) throw new Error("nothing was found");
  expect(fault.fix).not.toBeNull();
  return fault;
}

const HASH = "D4KP4Y6MRRVJV";
const registry = (workflows: string): void =>
  writeFileSync(join(root, "workflow.yaml"), `workflows:\n${workflows}`, { mode: 0o600 });

test("an empty storage root, and a missing one, are healthy and stay as they are", async () => {
  expect(await examined()).toMatchObject({ ok: true, exitCode: 0 });
  expect(readdirSync(root)).toEqual([]);
  rmSync(root, { recursive: true });
  const { ok, checks } = await examined();
  expect(ok).toBe(true);
  expect(checks.map(({ name }) => name)).toEqual([
    "node",
    "git",
    "storage",
    "access",
    "configuration",
    "server",
    "index",
    "bundles",
    "packages",
    "models",
    "agents",
    "sandbox",
    "bindings",
    "threads",
    "limits",
    "workers",
    "tasks",
    "notify",
    "leftovers",
    "worktrees",
  ]);
  expect(existsSync(root)).toBe(false);
});

test("a storage root that is a file is found, and checks that cannot run say so too", async () => {
  rmSync(root, { recursive: true });
  writeFileSync(root, "");
  const { checks, exitCode } = await examined();
  expect(checks.find(({ name }) => name === "storage")).toMatchObject({ ok: false });
  expect(exitCode).toBe(1);
});

test("a configuration that others can read is found, with the command that fixes it", async () => {
  registry("");
  chmodSync(join(root, "workflow.yaml"), 0o644);
  expect(await onlyFault()).toMatchObject({
    name: "configuration",
    fix: `chmod 600 ${join(root, "workflow.yaml")}`,
  });
});

test.each([
  ["without a check", { mergeByHost: true }, "config.mergeByHost has no effect"],
  ["without a host", { mergeByHost: true, mergeCheck: "npm test" }, "none is up"],
])("a merge queue %s is doubted", async (_what, config, message) => {
  const text = JSON.stringify({ config });
  writeFileSync(join(root, "workflow.yaml"), text, { mode: 0o600 });
  const { ok, checks } = await examined();
  expect(ok).toBe(true);
  const found = checks.find(({ name }) => name === "tasks");
  expect(found).toMatchObject({ ok: true, message: expect.stringContaining(message) });
  expect(found?.fix).toEqual(expect.any(String));
});

test("a configuration that is not YAML is reported with line and column", async () => {
  writeFileSync(join(root, "workflow.yaml"), "config:\n  maxDepth: [\n", { mode: 0o600 });
  const { name, message } = await onlyFault();
  expect(name).toBe("configuration");
  expect(message).toMatch(/workflow\.yaml:\d+:\d+/);
});

test.each([
  [
    "without its program",
    { command: ["./no-such-program"] },
    "there is no program ./no-such-program",
  ],
  [
    "without its secret",
    { url: "https://a.example", secret: "$HOOK" },
    "environment variable HOOK",
  ],
])("a listener %s is found", async (_, listener, message) => {
  configure({ notify: { desk: listener } });
  expect(await onlyFault()).toMatchObject({
    name: "notify",
    message: expect.stringContaining(message),
  });
});

test("listeners without a host to notify them are a warning", async () => {
  configure({ notify: { desk: { command: ["node"] } } });
  const { ok, checks } = await examined();
  expect(ok).toBe(true);
  expect(checks.find(({ name }) => name === "notify")).toMatchObject({
    message: expect.stringContaining("none is up"),
    fix: "uncaged-workflow up",
  });
});

test("a bubblewrap that is too old for Codex is a warning, where Codex is used", async () => {
  const bin = join(root, "bin");
  mkdirSync(bin);
  const sandbox = async (version: string) => {
    writeFileSync(join(bin, "bwrap"), `#!/bin/sh\necho bubblewrap ${version}\n`, { mode: 0o755 });
    const { ok, checks } = await examined({ PATH: `${bin}:${process.env.PATH}` });
    expect(ok).toBe(true);
    return checks.find(({ name }) => name === "sandbox");
  };
  const message = (version: string) =>
    `agents run in none (config.isolation); bubblewrap ${version}`;
  configure({ isolation: "none" });
  expect(await sandbox("0.8.0")).toMatchObject({ message: message("0.8.0"), fix: null });
  installAgent("@uncaged/workflow-agent-codex", { installed: true, login: "ok" });
  const codex = { package: "@uncaged/workflow-agent-codex" };
  configure({ isolation: "none", agents: { codex } });
  expect(await sandbox("0.8.0")).toMatchObject({
    message: expect.stringContaining("bubblewrap 0.8.0 is older than 0.9: Codex (codex)"),
    fix: expect.stringContaining("newer bubblewrap"),
  });
  expect(await sandbox("0.11.1")).toMatchObject({ message: message("0.11.1"), fix: null });
});

test("a sandbox that is asked for and cannot be had is a fault, since no agent would start", async () => {
  configure({ isolation: "sandbox" });
  const context = { root, env: { PATH: "" }, nowMs: 0 };
  expect(await checkSandbox(context, async () => "unshare")).toMatchObject({
    ok: true,
    message: "agents run in one (unshare); there is no bubblewrap on PATH",
  });
  expect(await checkSandbox(context, async () => null)).toMatchObject({
    ok: false,
    message: expect.stringContaining("no agent is started"),
    fix: expect.stringContaining("install bubblewrap"),
  });
});

test.each([
  ["only preferred", { isolation: "auto" }],
  ["not spoken of", {}],
])("a sandbox that is %s is no fault where it cannot be had", async (_, config) => {
  configure(config);
  const context = { root, env: { PATH: "" }, nowMs: 0 };
  expect(await checkSandbox(context, async () => "unshare")).toMatchObject({
    message: "agents run in one (unshare); there is no bubblewrap on PATH",
  });
  expect(await checkSandbox(context, async () => null)).toMatchObject({
    ok: true,
    message:
      "agents run in none: neither bubblewrap nor unshare works here; there is no bubblewrap on PATH",
  });
});

test("an index that is not a database is found", async () => {
  writeFileSync(
    join(root, "index.db"),
    "no database, but long enough to be read as one".repeat(99),
  );
  const { checks } = await examined();
  expect(checks.find(({ name }) => name === "index")).toMatchObject({ ok: false });
});

test("a missing bundle is reported under its workflow's name", async () => {
  registry(`  review: { hash: "${HASH}", sha256: "${"0".repeat(64)}", timestamp: 1 }\n`);
  const { name, message, fix } = await onlyFault();
  expect([name, message]).toEqual(["bundles", expect.stringContaining("review")]);
  expect(fix).toContain("workflow add");
});

/** An agent package in the storage root that reports this status. */
function installAgent(name: string, probe: { installed: boolean; login: string }): void {
  const folder = join(root, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  const manifest = { name, version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const said = {
    path: null,
    version: "2.1",
    features: [],
    fix: "run: its-program login",
    ...probe,
  };
  writeFileSync(
    join(folder, "index.js"),
    `export const agent = { name: "x", create: () => () => {}, probe: async () => (${JSON.stringify(said)}) };`,
  );
}

function configure(config: unknown): void {
  writeFileSync(join(root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
}

test("an agent that is not installed is found, and so is an unknown default agent", async () => {
  const agents = (name: string, defaultAgent: string): void =>
    configure({ agents: { one: { package: name } }, defaultAgent });
  agents("@uncaged/nowhere", "one");
  expect(await onlyFault()).toMatchObject({
    name: "agents",
    message: "one: @uncaged/nowhere is not installed",
    fix: expect.stringContaining("uncaged-workflow agent add @uncaged/nowhere"),
  });
  installAgent("ready", { installed: true, login: "ok" });
  agents("ready", "two");
  expect(await onlyFault()).toMatchObject({
    name: "agents",
    message: "defaultAgent is two, which config.agents does not name",
  });
  agents("ready", "one");
  const { ok, checks } = await examined();
  expect(ok).toBe(true);
  expect(checks.find(({ name }) => name === "agents")?.message).toBe("one 2.1");
});

test("an agent whose program is missing or not logged in is found, with its own hint", async () => {
  for (const [probe, message] of [
    [{ installed: false, login: "unknown" }, "one cannot work"],
    [{ installed: true, login: "missing" }, "one is not logged in"],
  ] as const) {
    installAgent(message.replaceAll(" ", "-"), probe);
    configure({ agents: { one: { package: message.replaceAll(" ", "-") } } });
    expect(await onlyFault()).toMatchObject({ message, fix: "run: its-program login" });
  }
});

test("a binding of a workflow that is not registered is a warning, not a fault", async () => {
  installAgent("ready", { installed: true, login: "ok" });
  configure({ agents: { one: { package: "ready" } }, bindings: { reveiw: { writer: "one" } } });
  const { ok, checks, exitCode } = await examined();
  expect([ok, exitCode]).toEqual([true, 0]);
  expect(checks.find(({ name }) => name === "bindings")).toMatchObject({
    ok: true,
    message: "config.bindings.reveiw: no workflow is registered as reveiw",
    fix: expect.stringContaining("config.bindings"),
  });
});

test("a model without its key or provider is found, and so is an interval without a supervisor", async () => {
  const providers = { p: { baseUrl: "https://p.test/v1", apiKey: "$P_KEY" } };
  configure({ providers, models: { extract: "p/m" } });
  expect(await onlyFault()).toMatchObject({
    name: "models",
    message: expect.stringContaining("P_KEY"),
  });
  expect(await examined({ P_KEY: "sk-1" })).toMatchObject({ ok: true });
  configure({ providers, models: { extract: "q/m" } });
  expect(await onlyFault()).toMatchObject({ message: expect.stringContaining('provider "q"') });
  configure({ supervisorInterval: 5 });
  expect(await onlyFault()).toMatchObject({
    message: "supervisorInterval is 5, but config.models names no supervisor",
  });
});

test("a thread whose runner died is found, with the command that continues it", async () => {
  const threadId = await threadOfDeadRunner();
  expect(await onlyFault()).toMatchObject({
    name: "threads",
    message: expect.stringContaining(threadId),
    fix: `uncaged-workflow thread resume ${threadId}`,
  });
});

test("temporary files are found once their writers must be gone", async () => {
  mkdirSync(join(root, "cas"));
  const blob = join(root, "cas", ".tmp-1-AAAAAAAAAA");
  const file = join(root, ".workflow.yaml.AAAAAAAA.tmp");
  for (const path of [blob, file]) writeFileSync(path, "");
  expect(await examined()).toMatchObject({ ok: true });
  for (const path of [blob, file]) utimesSync(path, 1, 1);
  expect(await onlyFault()).toMatchObject({ name: "leftovers", fix: "uncaged-workflow cas gc" });
});

test("worktrees that stand although their threads are gone are named, those of new threads are not", async () => {
  await (await openThreadStore(root)).close();
  const [old, young] = ["01J0000000000000000000000A", newThreadId(Date.now())];
  mkdirSync(join(root, "workspaces"), { mode: 0o700 });
  for (const threadId of [old, young]) {
    const path = join(root, "worktrees", threadId);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const made = { threadId, member: null, repository: root, objectFormat: "sha1", from: root };
    const text = JSON.stringify({ version: 1, ...made, path, branch: "b", base: "0", files: null });
    writeFileSync(join(root, "workspaces", `${threadId}.json`), text, { mode: 0o600 });
  }
  const { checks } = await examined();
  expect(checks.at(-1)).toEqual({
    name: "worktrees",
    ok: true,
    message: `1 worktree of threads that have ended: ${join(root, "worktrees", old)}`,
    fix: "uncaged-workflow workspace gc",
  });
});

test("a missing git is found", async () => {
  const bin = join(root, "node_modules");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  expect(await onlyFault({ PATH: bin })).toMatchObject({ name: "git" });
});

/** The state that a killed runner leaves. */
async function threadOfDeadRunner(): Promise<string> {
  const store = await openThreadStore(root);
  const nowMs = Date.now();
  const threadId = newThreadId(nowMs);
  await store.create(
    {
      threadId,
      workflow: "review",
      bundleHash: HASH,
      startHash: HASH,
      head: HASH,
      headSha256: "0".repeat(64),
      stepCount: 0,
      depth: 0,
      parentThread: null,
      cwd: root,
      forkedFrom: null,
      startedAt: nowMs,
      createdAt: nowMs,
    },
    null,
  );
  const dead = { ...ownIdentity(), startedAt: "long ago" };
  await store.acquire({ threadId, process: dead, ttlMs: 60_000, nowMs, replaces: null });
  await store.close();
  return threadId;
}
