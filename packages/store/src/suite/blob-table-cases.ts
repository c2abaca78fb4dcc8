import assert from "node:assert/strict";
import {
  type BlobRow,
  type BlobTable,
  type BlobWrite,
  failureFrom,
  type Lease,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { ownedThread, sampleHash, sampleMove } from "./sample-threads.ts";

/** A backend as the suite needs it: an empty table, and the threads whose heads it moves. */
export type BlobTableHarness = { blobs: BlobTable; threads: ThreadStore };

/** One promise of the port. `run` rejects when the harness's table breaks it. */
export type BlobTableCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh harness each time. */
  run(harness: BlobTableHarness): Promise<void>;
};

/** The contract of a `BlobTable`: `for (const c of blobTableCases) test(c.name, () => c.run(fresh()))`. */
export const blobTableCases: readonly BlobTableCase[] = [
  {
    name: "returns rows as they were written, and lists them in order",
    async run({ blobs }) {
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      await write(blobs, three, { hash: sampleHash(1), bytes }, row(2, ""));
      assert.deepEqual(Buffer.from((await blobs.read(sampleHash(1)))?.bytes ?? []), bytes);
      assert.deepEqual(await textAt(blobs, sampleHash(2)), { text: "", aside: false });
      assert.equal(await textAt(blobs, sampleHash(4)), null);
      assert.deepEqual(await blobs.list(), [1, 2, 3].map(sampleHash));
    },
  },
  {
    name: "returns different bytes that exist under a name, and stores nothing of that write",
    async run({ blobs }) {
      await write(blobs, one);
      const done = await write(blobs, two, row(1, "another"));
      assert.ok(done.kind === "differs");
      assert.deepEqual(done.existing.map(shown), [shown(one)]);
      assert.deepEqual(await blobs.list(), [one.hash]);
    },
  },
  {
    name: "overwrites bytes only for a writer who says which",
    async run({ blobs }) {
      await write(blobs, row(1, "rot"));
      const wrong = { rows: [one], replacing: [row(1, "other rot")], move: null };
      assert.equal((await blobs.write(wrong)).kind, "differs");
      const right = { rows: [one], replacing: [row(1, "rot")], move: null };
      assert.equal((await blobs.write(right)).kind, "written");
      assert.deepEqual(await textAt(blobs, one.hash), { text: "one", aside: false });
    },
  },
  {
    name: "publishes rows together with the head, and returns the pending signals",
    async run({ blobs, threads }) {
      const lease = await ownedThread(threads, 1);
      await threads.signal(lease.threadId, "pause", 1);
      const move = sampleMove(lease, 1);
      const published = await blobs.write({ rows: [one, two], replacing: [], move });
      assert.deepEqual(published, { kind: "written", signals: ["pause"] });
      assert.equal((await threads.get(lease.threadId))?.head, sampleHash(1));
      assert.deepEqual(await blobs.list(), [one.hash, two.hash]);
    },
  },
  {
    name: "moves a head without a row",
    async run({ blobs, threads }) {
      const lease = await ownedThread(threads, 1);
      await blobs.write({ rows: [], replacing: [], move: sampleMove(lease, 1) });
      assert.equal((await threads.get(lease.threadId))?.head, sampleHash(1));
    },
  },
  {
    name: "stores nothing when the move is refused, and restores nothing",
    async run({ blobs, threads }) {
      await write(blobs, two);
      await blobs.quarantine([two.hash], NOW_MS);
      const lease = await ownedThread(threads, 1);
      const late = sampleMove({ ...lease, fence: lease.fence - 1 }, 1);
      const refused = blobs.write({ rows: [one, two], replacing: [], move: late });
      assert.equal(await codeOf(refused), "LEASE_LOST");
      assert.deepEqual(await blobs.list(), []);
      assert.deepEqual(await textAt(blobs, two.hash), { text: "two", aside: true });
    },
  },
  {
    name: "moves no head when different bytes exist under a name",
    async run({ blobs, threads }) {
      await write(blobs, row(1, "another"));
      const lease = await ownedThread(threads, 1);
      const move = sampleMove(lease, 1);
      const { kind } = await blobs.write({ rows: [one, two], replacing: [], move });
      assert.equal(kind, "differs");
      assert.equal((await threads.get(lease.threadId))?.head, sampleHash(0));
      assert.equal(await textAt(blobs, two.hash), null);
    },
  },
  {
    name: "publishes the steps of many threads at once, and a refused one fails alone",
    async run({ blobs, threads }) {
      const leases: Lease[] = [];
      for (let n = 0; n < 8; n += 1) leases.push(await ownedThread(threads, n));
      const fences = leases.map((lease, n) => (n === 3 ? { ...lease, fence: 99 } : lease));
      const outcomes = await Promise.all(
        fences.map((lease, n) => {
          const rows = [row(n + 100, `step of ${n}`)];
          return codeOf(blobs.write({ rows, replacing: [], move: sampleMove(lease, 1) }));
        }),
      );
      assert.deepEqual(
        outcomes,
        fences.map((_, n) => (n === 3 ? "LEASE_LOST" : null)),
      );
      assert.deepEqual(
        await blobs.list(),
        [0, 1, 2, 4, 5, 6, 7].map((n) => sampleHash(n + 100)),
      );
      const heads = (await threads.roots()).map(({ head }) => head);
      assert.equal(heads.filter((head) => head === sampleHash(0)).length, 1);
    },
  },
  {
    name: "reads many rows at once, and reports which exist, without quarantined ones",
    async run({ blobs }) {
      await write(blobs, one, two, three);
      await blobs.quarantine([two.hash], NOW_MS);
      const asked = [three.hash, sampleHash(4), two.hash, one.hash];
      const rows = await blobs.readMany(asked);
      assert.deepEqual(rows.map(shown).sort(), [shown(one), shown(three)].sort());
      assert.deepEqual((await blobs.present(asked)).sort(), [one.hash, three.hash]);
      assert.deepEqual([await blobs.readMany([]), await blobs.present([])], [[], []]);
    },
  },
  {
    name: "reads quarantined rows, does not list them, and restores them with their next write",
    async run({ blobs }) {
      await write(blobs, one, two);
      const sinceMs = await blobs.quarantine([one.hash, two.hash, three.hash], NOW_MS);
      assert.ok(sinceMs >= NOW_MS);
      await blobs.quarantine([one.hash], NOW_MS + HOUR_MS);
      assert.deepEqual(await textAt(blobs, one.hash), { text: "one", aside: true });
      assert.deepEqual(await blobs.list(), []);
      const aside = (await blobs.listAside()).sort((a, b) => (a.hash < b.hash ? -1 : 1));
      assert.deepEqual(
        aside,
        [one, two].map(({ hash }) => ({ hash, sinceMs })),
      );
      await write(blobs, one);
      await blobs.restore([two.hash]);
      assert.deepEqual(await blobs.list(), [one.hash, two.hash]);
      assert.deepEqual(await blobs.listAside(), []);
    },
  },
  {
    name: "deletes for good only what is still quarantined, for long enough, and says which",
    async run({ blobs }) {
      await write(blobs, one, two, three);
      const sinceMs = await blobs.quarantine([one.hash, two.hash], NOW_MS);
      await blobs.quarantine([three.hash], NOW_MS + HOUR_MS);
      await blobs.restore([two.hash]);
      const all = [one, two, three, row(4, "never written")].map(({ hash }) => hash);
      assert.deepEqual(await blobs.purge(all, sinceMs - 1), []);
      assert.deepEqual(await blobs.purge(all, sinceMs), [one.hash]);
      assert.equal(await textAt(blobs, one.hash), null);
      assert.deepEqual(await textAt(blobs, two.hash), { text: "two", aside: false });
      assert.deepEqual(await textAt(blobs, three.hash), { text: "three", aside: true });
    },
  },
  {
    name: "forgets that a deleted row was quarantined",
    async run({ blobs }) {
      await write(blobs, one);
      await blobs.quarantine([one.hash], NOW_MS);
      await blobs.delete(one.hash);
      await blobs.delete(one.hash);
      await write(blobs, two);
      await write(blobs, one);
      assert.deepEqual(await blobs.list(), [one.hash, two.hash]);
      assert.deepEqual(await blobs.listAside(), []);
      await blobs.shrink();
      assert.deepEqual(await blobs.list(), [one.hash, two.hash]);
    },
  },
];

const NOW_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const [one, two, three] = [row(1, "one"), row(2, "two"), row(3, "three")];

function row(n: number, text: string): BlobRow {
  return { hash: sampleHash(n), bytes: Buffer.from(text) };
}

function shown({ hash, bytes }: BlobRow): string {
  return `${hash} ${Buffer.from(bytes)}`;
}

function write(blobs: BlobTable, ...rows: BlobRow[]): Promise<BlobWrite> {
  return blobs.write({ rows, replacing: [], move: null });
}

async function textAt(
  blobs: BlobTable,
  hash: string,
): Promise<{ text: string; aside: boolean } | null> {
  const found = await blobs.read(hash);
  return found && { text: Buffer.from(found.bytes).toString(), aside: found.aside };
}

async function codeOf(outcome: Promise<unknown>): Promise<string | null> {
  return outcome.then(
    () => null,
    (thrown: unknown) => failureFrom(thrown, "INTERNAL").code,
  );
}
