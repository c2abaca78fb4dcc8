import assert from "node:assert/strict";
import type {
  CollectReport,
  CollectRequest,
  RootStore,
  StoreKind,
} from "@uncaged/workflow-protocol";
import { encodeContent } from "../node/codec.ts";
import { failsWith } from "./fails-with.ts";
import type { RootStoreCase } from "./root-store-case.ts";
import {
  allAreThere,
  hashesOf,
  ownedThread,
  publishAll,
  sampleSteps,
  threadAt,
} from "./sample-steps.ts";

/** Maintenance of a whole root: what is dead, what is damaged, where blobs are. */
export const collectCases: readonly RootStoreCase[] = [
  {
    name: "quarantines what no thread reaches, and a dry run only counts",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      const nodes = await publishAll(store, lease, sampleSteps(2));
      const dead = await store.put("nobody's");
      const found = counts({ scannedThreads: 1, activeRefs: nodes.length, setAside: 1 });
      assert.deepEqual(await collect(store, { dryRun: true }), found);
      assert.deepEqual(await store.list(), [...hashesOf(nodes), dead].sort());
      assert.deepEqual(await collect(store), found);
      assert.deepEqual(await store.list(), hashesOf(nodes));
      await allAreThere(store, nodes);
    },
  },
  {
    name: "restores a quarantined blob when it is read, stored or needed again",
    async run({ store, threads }) {
      const node = encodeContent("wanted again");
      await store.putBatch([node]);
      await collect(store);
      assert.deepEqual(await store.list(), []);
      assert.equal(await store.get(node.hash), node.text);
      assert.deepEqual(await store.list(), [node.hash]);
      await collect(store);
      await store.putBatch([node]);
      assert.deepEqual(await store.list(), [node.hash]);
      const needed = await store.put("needed by a later thread");
      await threadAt(threads, 0, { at: node.hash });
      await collect(store);
      await threadAt(threads, 1, { at: needed });
      const report = await collect(store);
      assert.ok(report.restoredEntries > 0);
      assert.deepEqual(await store.list(), [needed, node.hash].sort());
    },
  },
  {
    name: "deletes for good after the grace period",
    async run({ store }) {
      const hash = await store.put("dead");
      await collect(store);
      const later = Date.now() + 3 * HOUR_MS;
      const early = await collect(store, { nowMs: later, graceMs: 4 * HOUR_MS });
      assert.deepEqual(early, counts({}));
      assert.deepEqual(await collect(store, { nowMs: later }), counts({ deletedEntries: 1 }));
      assert.equal(await store.get(hash), null);
    },
  },
  {
    name: "keeps in quarantine what the holder of an older lease may have seen in place",
    async run({ store, threads }) {
      const [head, dead] = [encodeContent("head"), encodeContent("dead")];
      await store.putBatch([head, dead]);
      const lease = await ownedThread(threads, 0, { at: head.hash, nowMs: Date.now() - HOUR_MS });
      await collect(store);
      const later = Date.now() + 3 * HOUR_MS;
      assert.equal((await collect(store, { nowMs: later })).deletedEntries, 0);
      await threads.release({ ...lease, nowMs: later, to: { status: "idle" } });
      assert.equal((await collect(store, { nowMs: later })).deletedEntries, 1);
      assert.deepEqual([await store.get(dead.hash), await store.get(head.hash)], [null, head.text]);
    },
  },
  {
    name: "touches nothing when a blob that a thread needs is missing or damaged",
    async run({ store, threads, damage }) {
      const [leaf, dead] = [encodeContent("leaf"), encodeContent("dead")];
      const root = encodeContent("root", [leaf.hash]);
      await store.putBatch([leaf, root, dead]);
      await threadAt(threads, 0, { at: root.hash });
      await damage(leaf.hash, Buffer.from("rot"));
      await failsWith("CAS_CORRUPT", collect(store));
      await store.delete(leaf.hash);
      await failsWith("CAS_MISSING", collect(store));
      assert.deepEqual(await store.list(), hashesOf([root, dead]));
    },
  },
  {
    name: "takes states that are later than all that the index knows for heads of lost threads",
    async run({ store, threads }) {
      const head = encodeContent("head");
      const nodes = [head, ...sampleSteps(3).all.flatMap((step) => step.nodes)];
      await store.putBatch(nodes);
      await threadAt(threads, 0, { at: head.hash, nowMs: 1 });
      await collect(store);
      assert.deepEqual(await store.list(), hashesOf(nodes));
      await threadAt(threads, 1, { at: head.hash, nowMs: 2 });
      await collect(store);
      assert.deepEqual(await store.list(), [head.hash]);
    },
  },
  {
    name: "checks every blob and all that the roots need, and changes nothing",
    async run({ store, damage }) {
      assert.deepEqual(await store.check([]), { ok: true, checked: 0, problems: [] });
      const [leaf, other] = [encodeContent("leaf"), encodeContent("other")];
      const root = encodeContent("root", [leaf.hash, other.hash]);
      await store.putBatch([leaf, other, root]);
      const whole = await store.check([root.hash]);
      assert.deepEqual(whole, { ok: true, checked: 3, problems: [] });
      await damage(leaf.hash, Buffer.from("rot"));
      await store.delete(other.hash);
      const report = await store.check([root.hash]);
      assert.equal(report.ok, false);
      const found = report.problems.map(({ code, hash }) => `${code} ${hash}`);
      assert.deepEqual(
        found.sort(),
        [`CAS_CORRUPT ${leaf.hash}`, `CAS_MISSING ${other.hash}`].sort(),
      );
    },
  },
];

export const moveCases: readonly RootStoreCase[] = [
  {
    name: "moves its blobs from one place to the other and back, and loses none",
    async run({ store, threads, reopen }) {
      const lease = await ownedThread(threads);
      const nodes = await publishAll(store, lease, sampleSteps(40));
      const kinds: readonly StoreKind[] = ["packed", "files", "packed"];
      for (const kind of kinds) {
        const { problems } = await reopen().move(kind);
        assert.deepEqual(problems, []);
        await allAreThere(store, nodes);
        assert.deepEqual(await store.list(), hashesOf(nodes));
        assert.equal((await store.move(kind)).moved, 0);
      }
    },
  },
];

const HOUR_MS = 3_600_000;

/** Collects now, with two hours of grace unless overridden. */
function collect(store: RootStore, changes: Partial<CollectRequest> = {}): Promise<CollectReport> {
  return store.collect({ nowMs: Date.now(), graceMs: 2 * HOUR_MS, dryRun: false, ...changes });
}

function counts(report: Partial<CollectReport>): CollectReport {
  return {
    scannedThreads: 0,
    activeRefs: 0,
    setAside: 0,
    restoredEntries: 0,
    deletedEntries: 0,
    ...report,
  };
}
