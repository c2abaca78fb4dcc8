import type { EncodedNode, NodeStore } from "@uncaged/workflow-protocol";
import { encodeContent } from "./codec.ts";
import { hashBytes } from "./hash.ts";
import { checkedHash, collision, corrupt, misnamed } from "./store-failures.ts";
import { verifiedMany } from "./verified-many.ts";

/** A store that lasts as long as `blobs`, a map from hash to text that tests may inspect. */
export function openMemoryStore(blobs: Map<string, string> = new Map()): NodeStore {
  return {
    async put(content) {
      const node = encodeContent(content);
      accept([node]);
      return node.hash;
    },
    async putBatch(nodes) {
      accept(nodes);
    },
    async get(hash) {
      return read(checkedHash(hash));
    },
    async getMany(hashes) {
      return verifiedMany(hashes, read);
    },
    async delete(hash) {
      blobs.delete(checkedHash(hash));
    },
    async list() {
      return [...blobs.keys()].sort();
    },
  };

  function read(hash: string): string | null {
    const text = blobs.get(hash);
    if (text === undefined) return null;
    const actual = hashBytes(text);
    if (actual !== hash) throw corrupt(hash, `its bytes have the hash ${actual}`);
    return text;
  }

  function accept(nodes: readonly EncodedNode[]): void {
    // All are checked before the first is stored: a refused batch changes nothing.
    const fresh = new Map<string, string>();
    for (const { hash, text } of nodes) {
      const actual = hashBytes(text);
      if (actual !== hash) throw misnamed(hash, actual);
      const stored = fresh.get(hash) ?? blobs.get(hash);
      // Damage is repaired: these are the true bytes.
      if (stored !== undefined && stored !== text && hashBytes(stored) === hash)
        throw collision(hash);
      fresh.set(hash, text);
    }
    for (const [hash, text] of fresh) blobs.set(hash, text);
  }
}
