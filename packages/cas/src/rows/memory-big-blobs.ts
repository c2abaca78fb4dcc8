import type { BigBlobCopy, BigBlobs } from "@uncaged/workflow-protocol";
import { randomTag } from "@uncaged/workflow-util";
import { sha256Hex } from "../node/hash.ts";
import { corrupt } from "../node/store-failures.ts";

/** The port in memory, for tests. It lasts as long as `copies`, which tests may inspect and corrupt. */
export function memoryBigBlobs(
  copies: Map<string, { of: BigBlobCopy; bytes: Uint8Array; atMs: number }> = new Map(),
): BigBlobs {
  return {
    async put(hash, sha256, bytes) {
      if (sha256Hex(bytes) !== sha256) throw corrupt(hash, "it does not have its digest");
      const of = { hash, sha256, copy: randomTag(16) };
      copies.set(of.copy, { of, bytes: Buffer.from(bytes), atMs: Date.now() });
      return of;
    },
    async get({ hash, sha256, copy }) {
      const found = copies.get(copy);
      if (found === undefined) return null;
      if (sha256Hex(found.bytes) !== sha256) throw corrupt(hash, "it does not have its digest");
      return found.bytes;
    },
    async delete({ copy }) {
      copies.delete(copy);
    },
    async *list(untilMs) {
      for (const { of, atMs } of [...copies.values()]) if (atMs <= untilMs) yield of;
    },
  };
}
