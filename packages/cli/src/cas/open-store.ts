import { openFilesStore } from "@uncaged/workflow-cas";
import { isHash, type NodeStore } from "@uncaged/workflow-protocol";
import { storagePaths, storageRoot } from "@uncaged/workflow-util";
import type { Io } from "../io.ts";
import { misuse } from "../options.ts";

/** The store of this storage root. Neither the index nor the engine is opened. */
export function openStore(io: Pick<Io, "env">): NodeStore {
  return openFilesStore(storagePaths(storageRoot(io.env)).cas);
}

/** Throws `USAGE` for what is not a hash. */
export function checkedHash(text: string): string {
  if (isHash(text)) return text;
  throw misuse(
    `${JSON.stringify(text)} is not a hash`,
    "a hash has 13 characters, digits and upper-case letters without I, L, O and U; see: uncaged-workflow cas list",
  );
}
