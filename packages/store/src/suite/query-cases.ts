import assert from "node:assert/strict";
import type { ThreadStore } from "@uncaged/workflow-protocol";
import {
  ownedThread,
  sampleHash,
  sampleId,
  sampleMove,
  sampleSha256,
  sampleThread,
  suspendedThread,
} from "./sample-threads.ts";
import type { ThreadStoreCase } from "./store-case.ts";

/** Finding threads. */
export const queryCases: readonly ThreadStoreCase[] = [
  {
    name: "lists threads newest first, whatever the order of their making",
    async run(store) {
      for (const n of [2, 1, 4, 3]) await store.create(sampleThread(n), null);
      assert.deepEqual(await listed(store, {}), [4, 3, 2, 1]);
      assert.deepEqual(await listed(store, { limit: 2 }), [4, 3]);
      assert.deepEqual(await listed(store, { limit: 0 }), []);
    },
  },
  {
    name: "lists by workflow, by parent, by being owned and by waiting for a person, also together",
    async run(store) {
      const parentThread = sampleId(1);
      await store.create(sampleThread(1), null);
      await store.create(sampleThread(2, { workflow: "develop", parentThread }), null);
      await store.create(sampleThread(3, { parentThread }), null);
      await ownedThread(store, 4);
      assert.deepEqual(await listed(store, { workflow: "develop" }), [2]);
      assert.deepEqual(await listed(store, { workflow: "solve-issue" }), [4, 3, 1]);
      assert.deepEqual(await listed(store, { parentThread }), [3, 2]);
      assert.deepEqual(await listed(store, { parentThread, workflow: "develop" }), [2]);
      assert.deepEqual(await listed(store, { withLease: true }), [4]);
      assert.deepEqual(await listed(store, { withLease: true, parentThread }), []);
      assert.deepEqual(await listed(store, { suspended: true }), []);
      await suspendedThread(store, 5);
      assert.deepEqual(await listed(store, { suspended: true }), [5]);
      assert.deepEqual(await listed(store, { suspended: true, withLease: true }), []);
      assert.deepEqual(await listed(store, { workflow: "unknown" }), []);
    },
  },
  {
    name: "finds the thread of a start key",
    async run(store) {
      await store.create(sampleThread(1), null);
      const { thread } = await store.create(sampleThread(2), "nightly");
      assert.deepEqual(await store.startedWith("nightly"), thread);
      assert.equal(await store.startedWith("weekly"), null);
    },
  },
  {
    name: "lists those made since a time, and no more than the limit of them",
    async run(store) {
      for (const n of [1, 2, 3])
        await store.create({ ...sampleThread(n), createdAt: n * 100 }, null);
      assert.deepEqual(await listed(store, { sinceMs: 200 }), [3, 2]);
      assert.deepEqual(await listed(store, { sinceMs: 200, limit: 1 }), [3]);
      assert.deepEqual(await listed(store, { sinceMs: 301 }), []);
      assert.deepEqual(await listed(store, { sinceMs: 0, workflow: "unknown" }), []);
    },
  },
  {
    name: "lists what comes after a thread, also one that is gone, and one made in the same millisecond",
    async run(store) {
      for (const n of [1, 2, 3, 4])
        await store.create({ ...sampleThread(n), createdAt: n < 3 ? 100 : 200 }, null);
      assert.deepEqual(
        await listed(store, { after: { createdAt: 200, threadId: sampleId(4) } }),
        [3, 2, 1],
      );
      assert.deepEqual(
        await listed(store, { after: { createdAt: 200, threadId: sampleId(3) }, limit: 1 }),
        [2],
      );
      assert.deepEqual(
        await listed(store, { after: { createdAt: 150, threadId: sampleId(9) } }),
        [2, 1],
      );
      assert.deepEqual(
        await listed(store, { after: { createdAt: 100, threadId: sampleId(1) } }),
        [],
      );
    },
  },
  {
    name: "names a thread by the first line of its prompt, until it is given a title",
    async run(store) {
      const prompt = "\n\n  Größe \0 messen \t now\nand then some";
      await store.create(sampleThread(1, { prompt }), null);
      await store.create(sampleThread(2, { prompt, title: "Nightly \0 run" }), null);
      await store.create(sampleThread(3), null);
      await store.create(sampleThread(4, { prompt: `${"x".repeat(300)}\n` }), null);
      const names = (await store.list({})).map(({ title, promptLine }) => ({ title, promptLine }));
      assert.deepEqual(names, [
        { title: null, promptLine: `${"x".repeat(119)}…` },
        { title: null, promptLine: null },
        { title: "Nightly \0 run", promptLine: "Größe messen now" },
        { title: null, promptLine: "Größe messen now" },
      ]);
    },
  },
  {
    name: "lists those whose title or prompt has every word, in whatever case, and forgets removed ones",
    async run(store) {
      const prompt = "Größe 100% messen\n\0and then some";
      await store.create(sampleThread(1, { prompt }), null);
      await store.create(sampleThread(2, { title: "Größe", prompt: "Say hello" }), null);
      await store.create(sampleThread(3), null);
      assert.deepEqual(await listed(store, { text: "GRÖßE" }), [2, 1]);
      assert.deepEqual(await listed(store, { text: "  SOME\t größe " }), [1]);
      assert.deepEqual(await listed(store, { text: "0% m" }), [1]);
      assert.deepEqual(await listed(store, { text: "größe gone" }), []);
      assert.deepEqual(await listed(store, { text: "_" }), []);
      assert.deepEqual(await listed(store, { text: "" }), [3, 2, 1]);
      await store.remove({ threadId: sampleId(1), replaces: null, nowMs: 1 });
      await store.create(sampleThread(1), null);
      assert.deepEqual(await listed(store, { text: "messen" }), []);
    },
  },
  {
    name: "lists those with all of the labels, by value or by key alone",
    async run(store) {
      await store.create(sampleThread(1, { labels: { keep: "", team: "core" } }), null);
      await store.create(sampleThread(2, { labels: { team: "web" } }), null);
      await store.create(sampleThread(3), null);
      assert.deepEqual(await listed(store, { labels: { team: "core" } }), [1]);
      assert.deepEqual(await listed(store, { labels: { team: null } }), [2, 1]);
      assert.deepEqual(await listed(store, { labels: { team: null, keep: "" } }), [1]);
      assert.deepEqual(await listed(store, { labels: { team: "" } }), []);
      assert.deepEqual(await listed(store, { labels: { 'a"b': null } }), []);
      assert.deepEqual(await listed(store, { labels: {} }), [3, 2, 1]);
      assert.deepEqual((await store.get(sampleId(1)))?.labels, { keep: "", team: "core" });
    },
  },
  {
    name: "lists those that have not ended, whatever they wait for, and those that have ended so",
    async run(store) {
      const ended = await ownedThread(store, 1);
      const end = { status: "completed", returnCode: 0, summary: "" } as const;
      await store.finish({ ...sampleMove(ended, 1), ...end });
      await ownedThread(store, 2);
      await suspendedThread(store, 3);
      await store.create(sampleThread(4, { queue: { notBefore: null } }), null);
      await store.create(sampleThread(5), null);
      const other = await ownedThread(store, 6);
      const failed = { status: "failed", returnCode: 1, summary: "" } as const;
      await store.finish({ ...sampleMove(other, 1), ...failed });
      assert.deepEqual(await listed(store, { unfinished: true }), [5, 4, 3, 2]);
      assert.deepEqual(await listed(store, { ended: "completed" }), [1]);
      assert.deepEqual(await listed(store, { ended: "failed", limit: 1 }), [6]);
      assert.deepEqual(await listed(store, { ended: "aborted" }), []);
    },
  },
  {
    name: "lists the same records that it returns one by one",
    async run(store) {
      await ownedThread(store, 1);
      await store.signal(sampleId(1), "pause", 1);
      assert.deepEqual(await store.list({}), [await store.get(sampleId(1))]);
    },
  },
  {
    name: "finds a thread by the beginning or the end of its id, in either case",
    async run(store) {
      for (const n of [1, 2, 13]) await store.create(sampleThread(n), null);
      assert.deepEqual(await store.match(sampleId(2), 9), [sampleId(2)]);
      assert.deepEqual(await store.match("abcdefgh0013", 9), [sampleId(13)]);
      assert.deepEqual(await store.match("01hf00000000", 9), [1, 2, 13].map(sampleId));
      assert.deepEqual(await store.match(sampleId(13).slice(0, 14), 9), [sampleId(13)]);
      assert.deepEqual(await store.match("3", 9), [sampleId(13)]);
      assert.deepEqual(await store.match("0", 9), [1, 2, 13].map(sampleId));
      assert.equal((await store.match("0", 2)).length, 2);
      assert.deepEqual(await store.match("BCDE", 9), []);
    },
  },
  {
    name: "finds nothing by what cannot be part of an id",
    async run(store) {
      await store.create(sampleThread(1), null);
      const odd = ["", "%", "_", "01HF%", "0\u0000", "I", "L", "O", "U", "'", "~", "０１", " 01"];
      for (const part of [...odd, `${sampleId(1)}0`, `0${sampleId(1)}`]) {
        assert.deepEqual(await store.match(part, 9), [], JSON.stringify(part));
      }
    },
  },
  {
    name: "returns start and head of every thread, finished ones too",
    async run(store) {
      await store.create(sampleThread(1), null);
      const lease = await ownedThread(store, 2);
      const end = { status: "completed", returnCode: 0, summary: "" } as const;
      await store.finish({ ...sampleMove(lease, 1), ...end });
      const roots = await store.roots();
      roots.sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
      assert.deepEqual(
        roots,
        [1, 2].map((n) => ({
          threadId: sampleId(n),
          startHash: sampleHash(0),
          head: sampleHash(n - 1),
          headSha256: sampleSha256(n - 1),
        })),
      );
    },
  },
];

/** The numbers of the sample threads that match a filter, in result order. */
async function listed(
  store: ThreadStore,
  filter: Parameters<ThreadStore["list"]>[0],
): Promise<number[]> {
  return (await store.list(filter)).map(({ threadId }) => Number(threadId.slice(4, 14)));
}
