import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { BigBlobCopy, BigBlobs } from "@uncaged/workflow-protocol";
import { hashBytes, sha256Hex } from "../node/hash.ts";
import { failsWith } from "./fails-with.ts";

/** A backend as the suite needs it: an empty store, and direct access to its storage. */
export type BigBlobsHarness = {
  blobs: BigBlobs;
  /** Replaces the stored bytes of a copy, as a failing disk would. */
  damage(copy: BigBlobCopy, bytes: Uint8Array): Promise<void>;
};

/** One promise of the port. `run` rejects when the harness's store breaks it. */
export type BigBlobsCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh harness each time. */
  run(harness: BigBlobsHarness): Promise<void>;
};

const LONG = 3 * 1024 * 1024;

export const bigBlobsCases: readonly BigBlobsCase[] = [
  {
    name: "returns the bytes that were put, whatever they are",
    async run({ blobs }) {
      for (const bytes of [randomBytes(LONG), randomBytes(1), Buffer.alloc(0), Buffer.from("ä\0")])
        assert.deepEqual(Buffer.from((await blobs.get(await put(blobs, bytes))) ?? []), bytes);
    },
  },
  {
    name: "names each copy by its blob, and makes another one of the same bytes",
    async run({ blobs }) {
      const bytes = randomBytes(100);
      const [one, two] = await Promise.all([put(blobs, bytes), put(blobs, bytes)]);
      assert.deepEqual([one.hash, one.sha256], [hashBytes(bytes), sha256Hex(bytes)]);
      assert.notDeepEqual(one, two);
      await blobs.delete(one);
      assert.equal(await blobs.get(one), null);
      assert.deepEqual(Buffer.from((await blobs.get(two)) ?? []), bytes);
    },
  },
  {
    name: "returns null for a copy that is not there, and deletes it without complaint",
    async run({ blobs }) {
      const copy = await put(blobs, randomBytes(10));
      await blobs.delete(copy);
      await blobs.delete(copy);
      assert.equal(await blobs.get(copy), null);
    },
  },
  {
    name: "never returns other bytes, be they longer, shorter or of the same length",
    async run({ blobs, damage }) {
      const bytes = randomBytes(1000);
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(bytes.readUInt8(500) ^ 1, 500);
      const wrong = [flipped, bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(0)];
      for (const other of wrong) {
        const copy = await put(blobs, bytes);
        await damage(copy, other);
        await failsWith("CAS_CORRUPT", blobs.get(copy));
      }
    },
  },
  {
    name: "does not store bytes under a digest that is not theirs",
    async run({ blobs }) {
      const bytes = randomBytes(10);
      const other = sha256Hex(randomBytes(10));
      await failsWith("CAS_CORRUPT", blobs.put(hashBytes(bytes), other, bytes));
      assert.deepEqual(await listed(blobs, Number.MAX_SAFE_INTEGER), []);
    },
  },
  {
    name: "lists what is there, as far as it is old enough",
    async run({ blobs }) {
      const all = await Promise.all(Array.from({ length: 7 }, () => put(blobs, randomBytes(20))));
      const [gone, ...kept] = all;
      if (gone !== undefined) await blobs.delete(gone);
      const hourMs = 3_600_000;
      const names = (copies: readonly BigBlobCopy[]) => copies.map(({ hash }) => hash).sort();
      assert.deepEqual(names(await listed(blobs, Date.now() + hourMs)), names(kept));
      assert.deepEqual(await listed(blobs, Date.now() - hourMs), []);
      for (const copy of await listed(blobs, Date.now() + hourMs))
        assert.ok(kept.some((each) => each.copy === copy.copy && each.sha256 === copy.sha256));
    },
  },
];

function put(blobs: BigBlobs, bytes: Uint8Array): Promise<BigBlobCopy> {
  return blobs.put(hashBytes(bytes), sha256Hex(bytes), bytes);
}

async function listed(blobs: BigBlobs, untilMs: number): Promise<BigBlobCopy[]> {
  const found: BigBlobCopy[] = [];
  for await (const copy of blobs.list(untilMs)) found.push(copy);
  return found;
}
