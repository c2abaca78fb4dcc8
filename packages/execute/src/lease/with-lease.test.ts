import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  failure,
  leaseOf,
  type ParkedState,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { ownIdentity, storagePaths } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Keeper } from "../keeper/keeper.ts";
import { killThread, stopThread } from "../steer/stop-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { type OwnedThread, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { withLease } from "./with-lease.ts";

let root = "";
let owned: OwnedThread;
const signal = new AbortController().signal;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "execute-"));
  owned = await ownedThread(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** An engine whose store fails at the n-th read of a thread, from 1. */
function failingAtRead(n: number): Engine {
  const { store } = owned.engine;
  let reads = 0;
  const get: ThreadStore["get"] = async (id) => {
    reads += 1;
    if (reads === n) throw broken();
    return store.get(id);
  };
  return { ...owned.engine, store: { ...store, get } };
}

function broken(): WorkflowError {
  return new WorkflowError(failure("STORAGE_FAILED", "the disk reports errors", "check it"));
}

async function restAt(to: ParkedState): Promise<void> {
  const { store } = owned.engine;
  const fence = leaseOf(await owned.record())?.fence ?? 0;
  if (to.status === "paused") await store.signal(owned.threadId, "pause", 0);
  await store.release({ threadId: owned.threadId, fence, nowMs: 0, to });
}

const QUESTION = { role: "coder", message: "Shall I?" };

describe("a thread whose lease was taken in vain", () => {
  it.each<ParkedState>([
    { status: "suspended", waits: [QUESTION] },
    { status: "paused" },
    { status: "idle" },
  ])("waits for what it waited for: $status", async (to) => {
    await restAt(to);
    const { threadId } = owned;
    const use = (): never => {
      throw new Error("it must not come to this");
    };
    const result = await withLease(failingAtRead(2), { threadId, signal, use });
    expect(result).toMatchObject({ ok: false, error: { code: "STORAGE_FAILED" } });
    const thread = await owned.record();
    expect(thread).toMatchObject(to);
    expect(leaseOf(thread)).toBeNull();
  });

  it("keeps its question when its end cannot be written", async () => {
    await restAt({ status: "suspended", waits: [QUESTION] });
    owned.breakCas(broken());
    await expect(killThread(owned.engine, await owned.record(), { signal })).rejects.toThrow();
    expect(await owned.record()).toMatchObject({ status: "suspended", waits: [QUESTION] });
  });
});

it("a keeper that fails returns the thread, and the failure says what happened", async () => {
  await restAt({ status: "idle" });
  const { threadId } = owned;
  const fault = failure("LEASE_LOST", "nothing keeps the lease any more", "resume it");
  const keeper: Keeper = {
    keep: ({ interrupt }) => {
      queueMicrotask(() => interrupt("lease-lost"));
      return { stop: () => undefined, fault: () => fault };
    },
    close: async () => undefined,
  };
  const result = await withLease(
    { ...owned.engine, keeper },
    {
      threadId,
      signal,
      use: async (handle) => {
        while (!handle.signal.aborted) await sleep(5);
        throw new Error("interrupted");
      },
    },
  );
  expect(result).toEqual({ ok: false, error: fault });
  expect(await owned.record()).toMatchObject({ status: "idle" });
});

describe("a shared store that takes long to give a lease", () => {
  const slow = (tookMs: number, ages: number[]): Engine => {
    const { store } = owned.engine;
    const acquire: ThreadStore["acquire"] = async (request) => {
      const lease = await store.acquire(request);
      const answeredAt = performance.now() + tookMs;
      vi.spyOn(performance, "now").mockImplementation(() => answeredAt);
      return lease;
    };
    const keep: Keeper["keep"] = ({ ageMs }) => {
      ages.push(ageMs);
      return { stop: () => undefined, fault: () => null };
    };
    const keeper: Keeper = { keep, close: async () => undefined };
    return { ...owned.engine, keeper, store: { ...store, acquire } };
  };
  beforeEach(async () => {
    await restAt({ status: "idle" });
    await writeFile(storagePaths(root).place, "{}");
  });
  afterEach(() => void vi.restoreAllMocks());

  it("gives one that is kept from when it was asked for", async () => {
    const ages: number[] = [];
    const use = async () => ({ ok: true, value: "done" }) as const;
    const { threadId } = owned;
    expect(await withLease(slow(9_000, ages), { threadId, signal, use })).toMatchObject({
      ok: true,
    });
    expect(ages).toHaveLength(1);
    expect(ages[0]).toBeGreaterThanOrEqual(9_000);
  });

  it("begins nothing with one that others may take soon", async () => {
    const use = (): never => {
      throw new Error("it must not come to this");
    };
    const { threadId } = owned;
    const result = await withLease(slow(12_000, []), { threadId, signal, use });
    expect(result).toMatchObject({ ok: false, error: { code: "LEASE_LOST" } });
    expect(await owned.record()).toMatchObject({ status: "idle" });
  });
});

/** An engine in which somebody else takes the lease once, just before we do. */
function overtaken(): Engine {
  const { store } = owned.engine;
  let first = true;
  const acquire: ThreadStore["acquire"] = async (request) => {
    if (first) {
      first = false;
      await store.acquire({ ...request, process: { ...request.process, pid: 2 ** 22 + 7 } });
    }
    return store.acquire(request);
  };
  return { ...owned.engine, store: { ...store, acquire } };
}

describe("a thread that somebody resumes while its dead runner is ended", () => {
  it("is killed anyway", async () => {
    const killed = await killThread(overtaken(), await owned.record(), { signal });
    expect(killed).toMatchObject({ ok: true, value: { status: "aborted" } });
  });

  it("is left to its owner by a stop", async () => {
    const { fence } = leaseOf(await owned.record()) ?? { fence: 0 };
    const stopped = await stopThread(overtaken(), await owned.record(), { signal });
    expect(stopped).toMatchObject({ ok: true, value: { status: "running" } });
    expect(leaseOf(await owned.record())?.fence).toBe(fence + 1);
  });
});

it("waiting for a runner's end can be aborted", async () => {
  const { store } = owned.engine;
  const record = await owned.record();
  // A live runner that does not answer: this process.
  await store.acquire({
    threadId: owned.threadId,
    process: ownIdentity(),
    ttlMs: 60_000,
    nowMs: Date.now(),
    replaces: leaseOf(record)?.fence ?? null,
  });
  const stopped = await stopThread(owned.engine, await owned.record(), {
    signal: AbortSignal.abort(),
  });
  expect(stopped).toMatchObject({ ok: false, error: { code: "THREAD_ABORTED" } });
  expect(await owned.record()).toMatchObject({ signals: ["stop"] });
});
