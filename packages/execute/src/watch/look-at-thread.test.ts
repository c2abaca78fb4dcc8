import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "../storage/engine.ts";
import { ownedThread } from "../testing/leased-thread.test.helper.ts";
import { lookAtThread } from "./look-at-thread.ts";
import { waitForThread } from "./wait-for-thread.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "execute-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** An engine whose runner ends the thread and exits right after the first read of the record. */
async function endedAfterReading(): Promise<{ engine: Engine; threadId: string }> {
  const { engine, threadId, execute } = await ownedThread(root);
  const { store } = engine;
  let reads = 0;
  const get: typeof store.get = async (id) => {
    const record = await store.get(id);
    reads += 1;
    if (reads === 1) {
      await execute(async function* () {
        yield* [];
        return { returnCode: 0, summary: "all done" };
      });
    }
    return record;
  };
  return { engine: { ...engine, store: { ...store, get } }, threadId };
}

it("a runner that ended its thread and itself while we looked has not died", async () => {
  const { engine, threadId } = await endedAfterReading();
  expect(await lookAtThread(engine, threadId)).toMatchObject({ status: "completed" });
});

it("a runner that left its thread unchanged has died", async () => {
  const { engine, threadId } = await ownedThread(root);
  expect(await lookAtThread(engine, threadId)).toMatchObject({ status: "idle", stale: true });
});

it("who waits for a thread sees it end", async () => {
  const { engine, threadId } = await endedAfterReading();
  const ended = await waitForThread(engine, threadId, new AbortController().signal);
  expect(ended?.status).toBe("completed");
});

it("who waits for a thread is told when its runner died", async () => {
  const { engine, threadId } = await ownedThread(root);
  const left = await waitForThread(engine, threadId, new AbortController().signal);
  expect(left).toMatchObject({ status: "running", lease: {} });
});
