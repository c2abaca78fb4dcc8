export {
  decodeNode,
  encodeContent,
  encodeNode,
  encodeStart,
  encodeState,
  refsOf,
} from "./codec.ts";
export { hashBytes, sha256Hex } from "./hash.ts";
export { openMemoryStore } from "./memory-store.ts";
export { nodeToYaml } from "./node-yaml.ts";
export { ancestorAt, ancestorsFor, type LoadAncestors } from "./skip-list.ts";
