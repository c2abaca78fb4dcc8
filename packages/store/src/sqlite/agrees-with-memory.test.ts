import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureFrom, THREAD_STATUSES, type ThreadStore } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryThreadStore } from "../memory-store.ts";
import {
  acquireAt,
  sampleHash,
  sampleId,
  sampleSha256,
  sampleThread,
} from "../suite/sample-threads.ts";
import { openThreadStore } from "./sqlite-store.ts";

type Call = (store: ThreadStore) => Promise<unknown>;

// Few values each, so that calls meet: the same threads, fences, heads and times come up again.
const threadNo = fc.integer({ min: 1, max: 3 });
const threadId = threadNo.map(sampleId);
const fence = fc.integer({ min: 0, max: 4 });
const nowMs = fc.integer({ min: 0, max: 3_000 });
const head = fc.integer({ min: 0, max: 3 }).map(sampleHash);
const _status = fc.constantFrom(...THREAD_STATUSES);
const kind = fc.constantFrom("pause", "stop", "kill" as const);
const ending = fc.constantFrom("completed", "failed", "aborted" as const);
const tenure = fc.record({ threadId, fence, nowMs });
const move = fc
  .record({ threadId, fence, nowMs, from: head, to: fc.integer({ min: 1, max: 3 }) })
  .map(({ to, ...rest }) => {
    return { ...rest, to: sampleHash(to), toSha256: sampleSha256(to), stepCount: to };
  });
const rest = fc.constantFrom(
  { status: "idle" } as const,
  { status: "paused" } as const,
  { status: "suspended", role: "planner", message: "Which?" } as const,
);
const startKey = fc.option(fc.constantFrom("a", "b"));
const acquisition = fc.record({
  pid: fc.integer({ min: 1, max: 3 }),
  nowMs,
  replaces: fc.option(fence),
});

const call: fc.Arbitrary<{ shown: string; run: Call }> = fc.oneof(
  named("create", fc.tuple(threadNo, startKey), (store, [no, key]) =>
    store.create(sampleThread(no), key),
  ),
  named("acquire", fc.tuple(threadId, acquisition), (store, [id, by]) => acquireAt(store, id, by)),
  named("renew", tenure, (store, by) => store.renew({ ...by, ttlMs: 500 })),
  named("advance", move, (store, by) => store.advance(by)),
  named("finish", fc.tuple(move, ending), (store, [by, as]) =>
    store.finish({ ...by, status: as, returnCode: 1, summary: as }),
  ),
  named("release", fc.tuple(tenure, rest), (store, [by, to]) => store.release({ ...by, to })),
  named("signal", fc.tuple(threadId, kind), (store, [id, which]) => store.signal(id, which, 1)),
  named("clearSignal", fc.tuple(threadId, kind), (store, by) => store.clearSignal(...by)),
  named("answer", fc.record({ threadId, text: fc.string(), nowMs }), (store, by) =>
    store.answer(by),
  ),
  named("remove", fc.tuple(threadId, fc.option(fence)), (store, by) => store.remove(...by)),
);

test("the conditions of the SQL and the written reasons agree, whatever is called in whatever order", async () => {
  const property = fc.asyncProperty(
    fc.array(call, { minLength: 5, maxLength: 40 }),
    async (calls) => {
      const root = await mkdtemp(join(tmpdir(), "store-"));
      const [sqlite, memory] = [await openThreadStore(root), memoryThreadStore()];
      try {
        for (const { shown, run } of calls) {
          expect(await outcome(run, sqlite), shown).toEqual(await outcome(run, memory));
          expect(await sqlite.list({}), shown).toEqual(await memory.list({}));
        }
      } finally {
        await sqlite.close();
        await rm(root, { recursive: true, force: true });
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
}, 60_000);

function named<T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (store: ThreadStore, value: T) => Promise<unknown>,
): fc.Arbitrary<{ shown: string; run: Call }> {
  return values.map((value) => {
    return { shown: `${name} ${JSON.stringify(value)}`, run: (store) => run(store, value) };
  });
}

async function outcome(run: Call, store: ThreadStore): Promise<unknown> {
  return run(store).then(
    (value) => ({ value }),
    (thrown: unknown) => ({ refused: failureFrom(thrown, "INTERNAL") }),
  );
}
