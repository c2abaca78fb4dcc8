import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinished, ok, type ThreadStore } from "@uncaged/workflow-protocol";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "../storage/engine.ts";
import { memoryRoot } from "../testing/memory-root.test.helper.ts";
import { untilRests } from "./until-rests.ts";

const HASH = "0".repeat(13);
const threadId = "01KAJ2Z6PVX000000000000001";

let root = "";
let engine: Engine;
let store: ThreadStore;
const stop = new AbortController();

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "until-rests-"));
  const memory = memoryRoot(root);
  store = memory.store;
  engine = { ...memory, root, now: Date.now } as unknown as Engine;
  await store.create(
    {
      ...{ threadId, workflow: "sample", bundleHash: HASH, startHash: HASH, head: HASH },
      ...{ headSha256: "0".repeat(64), stepCount: 0, depth: 1, parentThread: null, cwd: "/" },
      ...{ forkedFrom: null, startedAt: 1, createdAt: 1 },
    },
    null,
  );
});
afterEach(() => rm(root, { recursive: true, force: true }));

const acquire = () =>
  store.acquire({
    ...{ threadId, process: ownIdentity(), ttlMs: 60_000, nowMs: Date.now(), replaces: null },
  });
/** As a runner that cannot go on does, or one that was stopped. */
async function givesUp() {
  const lease = await acquire();
  await store.release({ ...lease, nowMs: Date.now(), to: { status: "idle" } });
  return ok(null);
}
async function ends() {
  const { head } = { head: HASH };
  const lease = await acquire();
  await store.finish({
    ...{ threadId, fence: lease.fence, from: head, to: "1".repeat(13), toSha256: "1".repeat(64) },
    ...{ nowMs: Date.now(), status: "completed", returnCode: 0, summary: "done" },
  });
  return ok(null);
}

function restsAfter(runs: (typeof givesUp)[]): Promise<unknown> {
  const left = [...runs];
  return untilRests(engine, threadId, {
    restsAs: ({ thread }) => (isFinished(thread) ? thread.summary : null),
    start: async () => (left.shift() ?? givesUp)(),
    signal: stop.signal,
  });
}

it("a child whose runner gave up is started again", async () => {
  await expect(restsAfter([givesUp, ends])).resolves.toBe("done");
});

it("a child whose runners all give up has failed: nobody waits for it without end", async () => {
  await expect(restsAfter([])).rejects.toMatchObject({
    failure: { code: "RUNNER_FAILED", message: expect.stringContaining("gave up, 4 times") },
  });
});

it("a child that a person stopped is waited for, and heard of when it goes on", async () => {
  const stopped = async () => {
    const lease = await acquire();
    await store.signal(threadId, "stop", Date.now());
    await store.release({ ...lease, nowMs: Date.now(), to: { status: "idle" } });
    return ok(null);
  };
  const rests = restsAfter([stopped]);
  await expect(Promise.race([rests, sleep(1_500, "waits")])).resolves.toBe("waits");
  await ends();
  await expect(rests).resolves.toBe("done");
});
