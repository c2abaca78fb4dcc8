import { spawn } from "node:child_process";
import { once } from "node:events";
import type { RunnerReport } from "@uncaged/workflow-execute";
import { failure, type ProcessIdentity, type ThreadStore } from "@uncaged/workflow-protocol";
import { memoryLiveLog, memoryThreadStore } from "@uncaged/workflow-store";
import { identifyProcess, newThreadId, ownIdentity } from "@uncaged/workflow-util";
import { beforeEach, describe, expect, it } from "vitest";
import { takeUp } from "./take-up.ts";
import { threadsElsewhere } from "./threads-elsewhere.ts";

/** Certainly dead: no system has pids that high. */
const DEAD: ProcessIdentity = { ...ownIdentity(), pid: 2 ** 22 + 1 };
const REBOOTED: ProcessIdentity = {
  ...ownIdentity(),
  bootId: `earlier/${ownIdentity().bootId.split("/").slice(1).join("/")}`,
};
const HASH = "0".repeat(13);

let nowMs = 0;
let monotonicMs = 0;
let store: ThreadStore;
let carried: string[];
let resting: string | null;
let answer: RunnerReport;
let look: () => Promise<void>;
let lookAtShared: () => Promise<void>;
let hasLostOwner: () => boolean;

beforeEach(() => {
  nowMs = 1_000_000;
  monotonicMs = 0;
  store = memoryThreadStore();
  carried = [];
  resting = null;
  answer = { kind: "ready" };
  const carrier = {
    carry: async (threadId: string) => {
      carried.push(threadId);
      return answer;
    },
    carries: (threadId: string) => answer.kind === "ready" && carried.includes(threadId),
    restsBecause: () => resting,
  };
  const engine = { store, live: memoryLiveLog(), now: () => nowMs };
  const elsewhere = threadsElsewhere(() => monotonicMs);
  ({ look, hasLostOwner } = takeUp(engine, carrier, {
    isShared: false,
    elsewhere,
    monotonicMs: () => monotonicMs,
  }));
  ({ look: lookAtShared } = takeUp(engine, carrier, {
    isShared: true,
    elsewhere,
    monotonicMs: () => monotonicMs,
  }));
});

async function thread(owner: ProcessIdentity | null): Promise<string> {
  const threadId = newThreadId(nowMs);
  await store.create(
    {
      ...{ threadId, workflow: "sample", bundleHash: HASH, startHash: HASH, head: HASH },
      ...{ headSha256: "0".repeat(64), stepCount: 0, depth: 0, parentThread: null, cwd: "/" },
      ...{ forkedFrom: null, startedAt: nowMs, createdAt: nowMs },
    },
    null,
  );
  if (owner !== null)
    await store.acquire({ threadId, process: owner, ttlMs: 15_000, nowMs, replaces: null });
  return threadId;
}

const statusOf = async (threadId: string): Promise<string | undefined> =>
  (await store.get(threadId))?.status;

describe("between two looks", () => {
  it("an owner that dies is noticed once, and one that we carry or that lives is not", async () => {
    const process = spawn("sleep", ["60"]);
    const identity = identifyProcess(process.pid ?? 0);
    if (identity === null) throw new Error("it does not run");
    const left = await thread(identity);
    await thread(ownIdentity());
    await look();
    expect(hasLostOwner()).toBe(false);
    process.kill("SIGKILL");
    await once(process, "exit");
    expect(hasLostOwner()).toBe(true);
    await look();
    expect(carried).toEqual([left]);
    expect(hasLostOwner()).toBe(false);
  });
});

describe("a look", () => {
  it("carries on what a dead owner left, and what was under way before a reboot, once", async () => {
    const left = [await thread(DEAD), await thread(REBOOTED)];
    await look();
    await look();
    expect(carried.sort()).toEqual(left.sort());
  });

  it("asks for a thread whose files are on another machine only now and then", async () => {
    const left = await thread(DEAD);
    answer = { kind: "failed", failure: failure("WORKSPACE_ELSEWHERE", "on ada", "") };
    await look();
    await look();
    expect(carried).toEqual([left]);
    expect(await statusOf(left)).toBe("running");
    monotonicMs += 30_000;
    await look();
    expect(carried).toEqual([left, left]);
  });

  it("leaves threads alone that are at work, or that nobody had begun", async () => {
    await thread(ownIdentity());
    await thread(null);
    await look();
    expect(carried).toEqual([]);
  });

  it("gives a silent owner time, because it may have slept as we did", async () => {
    const threadId = await thread(ownIdentity());
    nowMs += 3_600_000;
    await look();
    monotonicMs += 14_000;
    await look();
    expect(carried).toEqual([]);
    monotonicMs += 2_000;
    await look();
    expect(carried).toEqual([threadId]);
  });

  it("starts counting again when the owner has renewed its lease meanwhile", async () => {
    const threadId = await thread(ownIdentity());
    nowMs += 3_600_000;
    await look();
    await store.renew({ leases: [{ threadId, fence: 1 }], ttlMs: 15_000, nowMs });
    monotonicMs += 10_000;
    await look();
    nowMs += 3_600_000;
    monotonicMs += 10_000;
    await look();
    expect(carried).toEqual([]);
  });

  it("asks for a thread of a shared root when its heartbeat stands still, whatever our clock says", async () => {
    const threadId = await thread({ ...ownIdentity(), bootId: "other/1/machine" });
    const pass = async (ms: number) => {
      monotonicMs += ms;
      await lookAtShared();
    };
    nowMs += 60_000;
    await pass(0);
    await pass(11_000);
    await store.renew({ leases: [{ threadId, fence: 1 }], ttlMs: 15_000, nowMs });
    nowMs -= 120_000;
    await pass(2_000);
    await pass(11_000);
    expect(carried).toEqual([]);
    await pass(2_000);
    expect(carried).toEqual([threadId]);
  });

  it("puts to rest what somebody had asked to stop, and leaves what is being killed", async () => {
    const stopped = await thread(DEAD);
    const killed = await thread(DEAD);
    await store.signal(stopped, "stop", nowMs);
    await store.signal(killed, "kill", nowMs);
    await look();
    expect(carried).toEqual([]);
    expect(await statusOf(stopped)).toBe("idle");
    expect(await statusOf(killed)).toBe("running");
  });

  it("leaves the threads of a version that rests idle, or paused if they were being paused", async () => {
    const [idle, paused] = [await thread(DEAD), await thread(DEAD)];
    await store.signal(paused, "pause", nowMs);
    resting = "it ended too often";
    await look();
    expect([await statusOf(idle), await statusOf(paused)]).toEqual(["idle", "paused"]);
    expect(carried).toEqual([]);
  });

  it("waits no longer for a person than it was told to", async () => {
    const threadId = await thread(DEAD);
    const wait = {
      ...{ kind: "person" as const, role: "approver", message: "Fine?", form: {}, route: null },
      ...{ since: nowMs, deadline: nowMs + 1_000, assignees: [] },
    };
    await store.release({ threadId, fence: 1, nowMs, to: { status: "suspended", waits: [wait] } });
    await look();
    expect(carried).toEqual([]);
    nowMs += 1_000;
    await look();
    expect(carried).toEqual([threadId]);
  });
});
