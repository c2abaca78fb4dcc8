import type { EncodedNode } from "@uncaged/workflow-protocol";
import { hashBytes } from "./hash.ts";
import { collision, misnamed } from "./store-failures.ts";

/** Bytes and their own hash. */
export type Blob = { readonly hash: string; readonly bytes: Buffer };

/** The bytes of nodes, each blob once, checked against its name. Throws `CAS_CORRUPT` or `CAS_COLLISION`. */
export function blobsOf(nodes: readonly EncodedNode[]): Blob[] {
  const blobs = new Map<string, Blob>();
  for (const { hash, text } of nodes) {
    const bytes = Buffer.from(text);
    const actual = hashBytes(bytes);
    if (actual !== hash) throw misnamed(hash, actual);
    const twin = blobs.get(hash);
    if (twin !== undefined && !twin.bytes.equals(bytes)) throw collision(hash);
    blobs.set(hash, { hash, bytes });
  }
  return [...blobs.values()];
}
