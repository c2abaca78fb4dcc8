import assert from "node:assert/strict";
import {
  type AnswerMove,
  pendingInputOf,
  type ThreadStore,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  acquireAt,
  known,
  ownedThread,
  sampleHash,
  sampleId,
  samplePersonWait,
  sampleSha256,
  suspendedThread,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** Threads that wait for a person to play a role. */
export const personCases: readonly ThreadStoreCase[] = [
  {
    name: "keeps whom a thread waits for, word for word, until somebody takes it",
    async run(store) {
      const waits = [
        samplePersonWait({ deadline: 99 }),
        samplePersonWait({ route: null, member: 3 }),
        samplePersonWait({ member: 0, group: { name: "all", entry: 2, of: 4, join: "any" } }),
        samplePersonWait({
          ...{ member: 1, group: { name: "two", entry: 0, of: 2, join: { atLeast: 1 } } },
        }),
      ];
      const threadId = await asking(store, waits);
      assert.deepEqual(waitsOf(await known(store, threadId)), waits);
      assert.deepEqual(waitsOf((await store.list({ suspended: true }))[0] ?? never()), waits);
      await acquireAt(store, threadId, ANYONE);
      assert.deepEqual(waitsOf(await known(store, threadId)), []);
    },
  },
  {
    name: "publishes a person's step of a thread that nobody owns, which is idle then",
    async run(store) {
      const threadId = await asking(store, [samplePersonWait()]);
      await store.signal(threadId, "pause", 2);
      assert.deepEqual(await store.advance(answer(threadId)), ["pause"]);
      const answered = await known(store, threadId);
      assert.equal(answered.status, "idle");
      assert.equal(answered.head, sampleHash(1));
      assert.equal(answered.headSha256, sampleSha256(1));
      assert.equal(answered.stepCount, 1);
      assert.equal(answered.updatedAt, 9);
      assert.equal(pendingInputOf(answered), null);
    },
  },
  {
    name: "has a thread wait for those that have not answered yet",
    async run(store) {
      const left = samplePersonWait({ member: 1 });
      const threadId = await asking(store, [samplePersonWait({ member: 0 }), left]);
      await store.advance({ ...answer(threadId), waits: [left] });
      const answered = await known(store, threadId);
      assert.equal(answered.status, "suspended");
      assert.deepEqual(waitsOf(answered), [left]);
    },
  },
  {
    name: "takes one of two answers, and tells the other",
    async run(store) {
      const threadId = await asking(store, [samplePersonWait()]);
      const both = [answer(threadId), { ...answer(threadId), to: sampleHash(7) }];
      const outcomes = await Promise.allSettled(both.map((each) => store.advance(each)));
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected"],
      );
      await refuses(store.advance(answer(threadId)), "ANSWER_TAKEN", threadId);
      assert.equal((await known(store, threadId)).head, sampleHash(1));
      assert.equal((await known(store, threadId)).stepCount, 1);
    },
  },
  {
    name: "takes no step of a person from another head than the thread's",
    async run(store) {
      const threadId = await asking(store, [samplePersonWait()]);
      const elsewhere = { ...answer(threadId), from: sampleHash(5) };
      await refuses(store.advance(elsewhere), "ANSWER_TAKEN", threadId);
      assert.equal((await known(store, threadId)).status, "suspended");
    },
  },
  {
    name: "takes no step of a person where a role asked, or where somebody runs the thread",
    async run(store) {
      const { threadId: asked } = await suspendedThread(store, 1);
      await refuses(store.advance(answer(asked)), "ANSWER_TAKEN", asked);
      const { threadId: owned } = await ownedThread(store, 2);
      await refuses(store.advance(answer(owned)), "ANSWER_TAKEN", owned);
      await refuses(store.advance(answer(sampleId(3))), "THREAD_NOT_FOUND", sampleId(3));
    },
  },
  {
    name: "takes no words for the step of a person",
    async run(store) {
      const threadId = await asking(store, [samplePersonWait()]);
      const words = store.answer({ threadId, text: "yes", nowMs: 9 });
      await refuses(words, "TRANSITION_INVALID", threadId, "approver");
      assert.equal((await known(store, threadId)).status, "suspended");
    },
  },
];

const ANYONE = { pid: 100, nowMs: 5, replaces: null };

async function asking(
  store: ThreadStore,
  [first, ...others]: readonly ReturnType<typeof samplePersonWait>[],
): Promise<string> {
  const lease = await ownedThread(store, 1);
  const waits = [first ?? never(), ...others] as const;
  await store.release({ ...lease, nowMs: 1, to: { status: "suspended", waits } });
  return lease.threadId;
}

function answer(threadId: string): AnswerMove {
  return {
    kind: "answer",
    threadId,
    from: sampleHash(0),
    to: sampleHash(1),
    toSha256: sampleSha256(1),
    nowMs: 9,
    waits: [],
  };
}

function never(): never {
  throw new Error("the case asks for at least one");
}
