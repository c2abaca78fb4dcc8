import assert from "node:assert/strict";
import type {
  CollectReport,
  CollectRequest,
  RootStore,
  StoreKind,
} from "@uncaged/workflow-protocol";
import { encodeContent } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { failsWith } from "./fails-with.ts";
import type { RootStoreCase } from "./root-store-case.ts";
import { allAreThere, hashesOf, ownedThread, publishAll, sampleSteps } from "./sample-steps.ts";

/** Maintenance of a whole root: what is dead, what is damaged, where blobs are. */
export const collectCases: readonly RootStoreCase[] = [
  {
    name: "quarantines what no root reaches, and a dry run only counts",
    async run({ store, threads }) {
      const lease = await ownedThread(threads);
      const steps = sampleSteps(2);
      const nodes = await publishAll(store, lease, steps);
      const dead = await store.put("nobody's");
      const collect = collecting(store, [steps.last.state.hash]);
      const found = counts({ activeRefs: nodes.length, setAside: 1 });
      assert.deepEqual(await collect({ dryRun: true }), found);
      assert.deepEqual(await store.list(), [...hashesOf(nodes), dead].sort());
      assert.deepEqual(await collect({}), found);
      assert.deepEqual(await store.list(), hashesOf(nodes));
      await allAreThere(store, nodes);
    },
  },
  {
    name: "restores a quarantined blob when it is read, stored or needed again",
    async run({ store }) {
      const node = encodeContent("wanted again");
      await store.putBatch([node]);
      await collecting(store, [])({});
      assert.deepEqual(await store.list(), []);
      assert.equal(await store.get(node.hash), node.text);
      assert.deepEqual(await store.list(), [node.hash]);
      await collecting(store, [])({});
      await store.putBatch([node]);
      assert.deepEqual(await store.list(), [node.hash]);
      const needed = await store.put("needed by a later thread");
      await collecting(store, [node.hash])({});
      const report = await collecting(store, [node.hash, needed])({});
      assert.ok(report.restoredEntries > 0);
      assert.deepEqual(await store.list(), [needed, node.hash].sort());
    },
  },
  {
    name: "deletes for good after the grace period, but not what the holder of a lease may have seen",
    async run({ store }) {
      const hash = await store.put("dead");
      const collect = collecting(store, []);
      await collect({});
      const later = Date.now() + 3 * HOUR_MS;
      const early = await collect({ nowMs: later, graceMs: 4 * HOUR_MS });
      assert.deepEqual(early, counts({}));
      const leased = await collect({ nowMs: later, protectSinceMs: Date.now() - HOUR_MS });
      assert.deepEqual(leased, counts({}));
      assert.deepEqual(await collect({ nowMs: later }), counts({ deletedEntries: 1 }));
      assert.equal(await store.get(hash), null);
    },
  },
  {
    name: "touches nothing when a blob that a root needs is missing or damaged",
    async run({ store, damage }) {
      const [leaf, dead] = [encodeContent("leaf"), encodeContent("dead")];
      const root = encodeContent("root", [leaf.hash]);
      await store.putBatch([leaf, root, dead]);
      await damage(leaf.hash, Buffer.from("rot"));
      await failsWith("CAS_CORRUPT", collecting(store, [root.hash])({}));
      await store.delete(leaf.hash);
      await failsWith("CAS_MISSING", collecting(store, [root.hash])({}));
      assert.deepEqual(await store.list(), hashesOf([root, dead]));
    },
  },
  {
    name: "keeps what lost threads reach, though something of it is missing",
    async run({ store }) {
      const [leaf, dead] = [encodeContent("leaf"), encodeContent("dead")];
      const lost = encodeContent("lost", [leaf.hash, hashBytes("gone")]);
      await store.putBatch([leaf, lost, dead]);
      const heads = { heads: [lost.hash], statesAfterMs: Date.now() };
      await collecting(store, [])({ lost: async () => heads });
      assert.deepEqual(await store.list(), hashesOf([leaf, lost]));
    },
  },
  {
    name: "takes states that are later than a given time for heads of lost threads",
    async run({ store }) {
      const steps = sampleSteps(3);
      const nodes = steps.all.flatMap((step) => step.nodes);
      await store.putBatch(nodes);
      const collect = (statesAfterMs: number) =>
        collecting(store, [])({ lost: async () => ({ heads: [], statesAfterMs }) });
      await collect(1);
      assert.deepEqual(await store.list(), hashesOf(nodes));
      await collect(2);
      assert.deepEqual(await store.list(), []);
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
function collecting(
  store: RootStore,
  roots: readonly string[],
): (changes: Partial<CollectRequest>) => ReturnType<RootStore["collect"]> {
  return (changes) =>
    store.collect({
      roots: async () => roots,
      nowMs: Date.now(),
      graceMs: 2 * HOUR_MS,
      protectSinceMs: null,
      dryRun: false,
      ...changes,
    });
}

function counts(report: Partial<CollectReport>): CollectReport {
  return { activeRefs: 0, setAside: 0, restoredEntries: 0, deletedEntries: 0, ...report };
}
