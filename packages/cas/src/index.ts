export { openFilesStore } from "./files/files-store.ts";
export { canonicalJson } from "./node/canonical-json.ts";
export {
  decodeNode,
  encodeContent,
  encodeNode,
  encodeStart,
  encodeState,
  refsOf,
} from "./node/codec.ts";
export { hashBytes, sha256Hex } from "./node/hash.ts";
export { openMemoryStore } from "./node/memory-store.ts";
export { nodeToYaml } from "./node/node-yaml.ts";
export { markReachable, type Reachability } from "./node/reachability.ts";
export { ancestorAt, type LoadAncestors } from "./node/skip-list.ts";
export { type BlobPlaces, PACKED_MAX_BYTES } from "./root/blob-places.ts";
export { findLostThreads } from "./root/lost-threads.ts";
export { type LongBlobs, openRootStore } from "./root/root-store.ts";
export { memoryBigBlobs } from "./rows/memory-big-blobs.ts";
export { type MemoryRow, memoryBlobTable } from "./rows/memory-blob-table.ts";
