export { openFilesStore } from "./files/files-store.ts";
export { checkBlobs } from "./fsck.ts";
export { type CollectOptions, type CollectReport, collectGarbage } from "./gc.ts";
export { openMemoryStore } from "./memory-store.ts";
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
export { nodeToYaml } from "./node/node-yaml.ts";
export { type MoveReport, packBlobs, unpackBlobs } from "./packed/pack.ts";
export {
  type BlobPlaces,
  openRootStore,
  PACKED_MAX_BYTES,
  type RootStore,
  type StoreKind,
} from "./packed/root-store.ts";
export { rowsLeft } from "./packed/rows-left.ts";
export type { WriteBehind } from "./packed/write-behind.ts";
export { markReachable, type Reachability } from "./reachability.ts";
export { ancestorAt, ancestorsFor, type LoadAncestors } from "./skip-list.ts";
