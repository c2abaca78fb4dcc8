import assert from "node:assert/strict";
import { refuses } from "./refuses.ts";
import { acquireAt, ownedThread, samplePersonWait } from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

const WAIT = samplePersonWait({ route: null, permission: true });
const ANSWER = { meta: { allow: true, reason: "\0" }, user: "alice", at: 7 };

/** Steps that are under way and ask a person. */
export const askCases: readonly ThreadStoreCase[] = [
  {
    name: "keeps what a step asks until it was answered, and hands the answer over",
    async run(store) {
      await store.listen(["desk"]);
      const lease = await ownedThread(store, 1);
      const { threadId, fence } = lease;
      const other = samplePersonWait({ since: 2, member: 3, permission: true });
      await store.ask({ ...lease, wait: other });
      await store.ask({ ...lease, wait: WAIT });
      assert.deepEqual(await store.asks({}), [
        { threadId, fence, wait: WAIT },
        { threadId, fence, wait: other },
      ]);
      assert.equal((await store.notices({})).length, 2);
      assert.equal(await store.askAnswer(lease), null);
      await store.answerAsk({ threadId, fence, wait: WAIT, answer: ANSWER });
      assert.deepEqual(await store.asks({ threadId }), [{ threadId, fence, wait: other }]);
      assert.deepEqual(await store.askAnswer(lease), ANSWER);
      await refuses(
        store.answerAsk({ threadId, fence, wait: WAIT, answer: ANSWER }),
        "ANSWER_TAKEN",
        threadId,
      );
      assert.deepEqual(await store.withdrawAsk(lease), ANSWER);
      assert.equal(await store.askAnswer(lease), null);
      assert.equal(await store.withdrawAsk({ ...lease, member: 3 }), null);
      assert.deepEqual(await store.asks({}), []);
    },
  },
  {
    name: "takes no answer to what an earlier owner asked, or that was asked before",
    async run(store) {
      const lease = await ownedThread(store, 1);
      const { threadId, fence } = lease;
      await store.ask({ ...lease, wait: WAIT });
      await store.ask({ ...lease, wait: { ...WAIT, since: 8 } });
      const late = { threadId, fence, wait: WAIT, answer: ANSWER };
      await refuses(store.answerAsk(late), "ANSWER_TAKEN", threadId);
      const by = { pid: 101, nowMs: 9, replaces: fence };
      const next = await acquireAt(store, threadId, by);
      assert.deepEqual(await store.asks({}), []);
      const again = { ...late, wait: { ...WAIT, since: 8 } };
      await refuses(store.answerAsk(again), "ANSWER_TAKEN", threadId);
      await refuses(store.ask({ ...lease, wait: WAIT }), "LEASE_LOST", threadId);
      await store.ask({ ...next, wait: WAIT });
      assert.deepEqual(await store.asks({}), [{ threadId, fence: next.fence, wait: WAIT }]);
      await store.release({ ...next, nowMs: 10, to: { status: "idle" } });
      assert.deepEqual(await store.asks({}), []);
    },
  },
];
