export { openFilesStore } from "./files/files-store.ts";
export { checkBlobs } from "./files/fsck.ts";
export { type CollectOptions, type CollectReport, collectGarbage } from "./files/gc.ts";
export { openMemoryStore } from "./memory-store.ts";
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
export { markReachable, type Reachability } from "./reachability.ts";
export { ancestorAt, ancestorsFor, type LoadAncestors } from "./skip-list.ts";
