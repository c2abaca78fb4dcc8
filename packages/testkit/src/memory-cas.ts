import { createHash } from "node:crypto";
import type { CasStore } from "@uncaged/workflow-protocol";

/** A store in memory that keeps content nodes in the same form as the real one. Its hashes look like the real ones
 *  but have other values: tests must not depend on them. */
export function memoryCas(): CasStore {
  const blobs = new Map<string, string>();
  return {
    async put(content) {
      const blob = `type: "content"\npayload: ${JSON.stringify(content)}\nrefs: []\n`;
      const hash = hashOf(blob);
      blobs.set(hash, blob);
      return hash;
    },
    async get(hash) {
      return blobs.get(hash) ?? null;
    },
    async delete(hash) {
      blobs.delete(hash);
    },
    async list() {
      return [...blobs.keys()].sort();
    },
  };
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 13 characters of Crockford base32 from the first 64 bits of a SHA-256. */
function hashOf(text: string): string {
  let bits = createHash("sha256").update(text).digest().readBigUInt64BE();
  let hash = "";
  for (let at = 0; at < 13; at += 1) {
    hash = CROCKFORD.charAt(Number(bits & 31n)) + hash;
    bits >>= 5n;
  }
  return hash;
}
