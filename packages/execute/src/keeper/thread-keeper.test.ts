import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeContent } from "@uncaged/workflow-cas";
import { leaseOf } from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { heldThread } from "../testing/held-thread.test.helper.ts";
import { threadKeeper } from "./thread-keeper.ts";

vi.setConfig({ testTimeout: 60_000 });

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "execute-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function lease(threadId: string, fence: number) {
  const process = { pid: 1, startedAt: "0", bootId: "test" };
  return { threadId, fence, process, acquiredAt: 0, heartbeatAt: 0, expiresAt: 0 };
}

it("renews a lease and receives a signal while the main thread does not yield", async () => {
  const store = await openThreadStore(root);
  const threadId = newThreadId(Date.now());
  const fence = await heldThread(store, { threadId, start: encodeContent("go") });
  const heartbeat = async (): Promise<number> => {
    const thread = await store.get(threadId);
    return (thread && leaseOf(thread))?.heartbeatAt ?? 0;
  };
  const before = await heartbeat();
  const keeper = threadKeeper(root);
  const interrupted = vi.fn();
  // The lease is due for renewal immediately.
  const kept = keeper.keep({
    ageMs: 0,
    lease: lease(threadId, fence),
    replaced: null,
    interrupt: interrupted,
  });
  await store.signal(threadId, "stop", Date.now());
  const patient = performance.now() + 30_000;
  let renewed = before;
  // Blocks this event loop between reads, so that nothing on it could renew the lease.
  while (renewed === before && performance.now() < patient) {
    const until = performance.now() + 200;
    while (performance.now() < until) Math.random();
    renewed = await heartbeat();
  }
  expect(renewed).toBeGreaterThan(before);
  await expect.poll(() => interrupted.mock.calls, { timeout: 30_000 }).toContainEqual(["stop"]);
  expect(kept.fault()).toBeNull();
  kept.stop();
  await keeper.close();
  await store.close();
});

it("reports that a lease has another owner, and that this is not its own fault", async () => {
  const store = await openThreadStore(root);
  const threadId = newThreadId(Date.now());
  const fence = await heldThread(store, { threadId, start: encodeContent("go") });
  const keeper = threadKeeper(root);
  const interrupt = vi.fn();
  const kept = keeper.keep({
    ageMs: 0,
    lease: lease(threadId, fence - 1),
    replaced: null,
    interrupt,
  });
  await expect.poll(() => interrupt.mock.calls, { timeout: 30_000 }).toEqual([["lease-lost"]]);
  expect(kept.fault()).toBeNull();
  await keeper.close();
  await store.close();
});

it("interrupts the work and says why when it cannot be started", async () => {
  // No database can be opened at this path.
  mkdirSync(join(root, "index.db"));
  const keeper = threadKeeper(root);
  const interrupt = vi.fn();
  const threadId = newThreadId(Date.now());
  const kept = keeper.keep({ ageMs: 0, lease: lease(threadId, 1), replaced: null, interrupt });
  await expect.poll(() => interrupt.mock.calls, { timeout: 30_000 }).toEqual([["lease-lost"]]);
  expect(kept.fault()).toMatchObject({
    code: "LEASE_LOST",
    message: expect.stringContaining(threadId),
    hint: expect.stringContaining("thread resume"),
  });
  await keeper.close();
});
