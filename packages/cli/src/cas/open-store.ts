import { withBlobs } from "@uncaged/workflow-execute";
import { isHash, type NodeStore } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { demandRoot } from "../command/step-store.ts";

/** Provides the blobs of this storage root, without opening the engine. Throws `ACCESS_DENIED` in a sandbox. */
export async function withStore<T>(
  io: Pick<Io, "env">,
  access: "read" | "write",
  use: (cas: NodeStore) => Promise<T>,
): Promise<T> {
  demandRoot(io);
  return withBlobs(storageRoot(io.env), access, use);
}

/** Throws `USAGE` for anything but a hash. */
export function checkedHash(text: string): string {
  if (isHash(text)) return text;
  throw usageError(
    `${JSON.stringify(text)} is not a hash`,
    "a hash has 13 characters, digits and upper-case letters without I, L, O and U; see: uncaged-workflow cas list",
  );
}
