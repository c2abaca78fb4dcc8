/** Verbs for several threads, and threads whose runner died: the index says `running`, commands say `idle`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listThreads, openEngine } from "@uncaged/workflow-execute";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeIo } from "../../command/io.test.helper.ts";
import { runCli } from "../../run-cli.ts";

const looks = vi.hoisted(() => ({ count: 0 }));
vi.mock("@uncaged/workflow-execute", async (original) => {
  const execute = await original<typeof import("@uncaged/workflow-execute")>();
  const lookForProcesses: typeof execute.lookForProcesses = (nowMs) => {
    looks.count += 1;
    return execute.lookForProcesses(nowMs);
  };
  return { ...execute, lookForProcesses };
});

const HASH = "EYHPV6X8XHTCS";
/** Certainly dead: no system has pids that high. */
const DEAD = { ...ownIdentity(), pid: 2 ** 22 + 1 };

let root: string;
let threadIds: string[];
const left: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-orphaned-"));
  const [a, b] = [Date.now() % 1e10, process.pid].map((n) => String(n).padStart(10, "0"));
  threadIds = ["1", "2", "3"].map((n) => `01M7Z${a}${b}${n}`);
  looks.count = 0;
});
afterEach(() => {
  for (const child of left.splice(0)) child.kill("SIGKILL");
  rmSync(root, { recursive: true });
});

/** The first thread lost its runner, the others never had one. */
async function makeThreads(): Promise<string> {
  const engine = await openEngine({ root, packagesBase: import.meta.url });
  const facts = { workflow: "steps", bundleHash: HASH, startHash: HASH, head: HASH, cwd: "/" };
  const more = { headSha256: "0".repeat(64), stepCount: 0, depth: 0, startedAt: 0, createdAt: 0 };
  for (const threadId of threadIds) {
    const ids = { threadId, parentThread: null, forkedFrom: null };
    await engine.store.create({ ...ids, ...facts, ...more }, null);
  }
  const [threadId = ""] = threadIds;
  await engine.store.acquire({ threadId, process: DEAD, ttlMs: 1, nowMs: 1, replaces: null });
  await engine.store.close();
  return threadId;
}

/** Starts a process as a role of this thread would; resolves when it is up. */
async function agentOf(threadId: string): Promise<ChildProcess> {
  const env = { ...process.env, [PROCESS_TAG_ENV]: `${threadId}:1:x` };
  const child = spawn("sh", ["-c", "echo up; exec sleep 1000"], { detached: true, env });
  left.push(child);
  await once(child.stdout, "data");
  return child;
}

function io() {
  return fakeIo({ env: { WORKFLOW_STORAGE_ROOT: root }, nowMs: Date.now() });
}

async function statuses(): Promise<string[]> {
  const engine = await openEngine({ root, packagesBase: import.meta.url });
  const listed = await listThreads(engine, {});
  await engine.store.close();
  return threadIds.map((id) => {
    const seen = listed.find(({ threadId }) => threadId === id);
    return seen === undefined ? "gone" : `${seen.status}${seen.stale ? ", stale" : ""}`;
  });
}

it("stop --all ends processes that a dead runner left, and ignores threads that do not run", async () => {
  const agent = await agentOf(await makeThreads());
  const ended = once(agent, "exit");
  expect(await statuses()).toEqual(["idle, stale", "idle", "idle"]);
  const out = io();
  expect(await runCli(["thread", "stop", "--all", "--yes"], out)).toBe(0);
  expect(out.err()).toContain("stop 1 thread: 1 idle");
  expect(out.out()).toContain(`${threadIds[0]} is idle`);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(await statuses()).toEqual(["idle", "idle", "idle"]);
});

it("stop --status running means what the list calls running", async () => {
  await makeThreads();
  const out = io();
  expect(await runCli(["thread", "stop", "--status", "running", "--yes"], out)).toBe(0);
  expect(out.out()).toContain("no thread matches: nothing to stop");
});

it("kill --all is for every unfinished thread, whether its runner died or not", async () => {
  await makeThreads();
  const out = io();
  await runCli(["thread", "kill", "--all", "--yes"], out);
  expect(out.err()).toContain("kill 3 threads: 3 idle");
});

it("rm of many threads looks for processes once, and ends those of each", async () => {
  const agent = await agentOf(await makeThreads());
  const ended = once(agent, "exit");
  expect(await runCli(["thread", "rm", "--all", "--yes"], io())).toBe(0);
  expect(looks.count).toBe(1);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(await statuses()).toEqual(["gone", "gone", "gone"]);
});
