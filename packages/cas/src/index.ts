export {
  decodeNode,
  encodeContent,
  encodeNode,
  encodeStart,
  encodeState,
  refsOf,
} from "./codec.ts";
export { openFilesStore } from "./files-store.ts";
export { checkBlobs } from "./fsck.ts";
export { type CollectOptions, type CollectReport, collectGarbage } from "./gc.ts";
export { hashBytes, sha256Hex } from "./hash.ts";
export { openMemoryStore } from "./memory-store.ts";
export { nodeToYaml } from "./node-yaml.ts";
export { markReachable, type Reachability } from "./reachability.ts";
export { ancestorAt, ancestorsFor, type LoadAncestors } from "./skip-list.ts";
