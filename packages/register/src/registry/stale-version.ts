import { type Failure, failure, type RegistryEntry } from "@uncaged/workflow-protocol";

/** Null: the name points to the version that the caller has seen, or the caller does not mind. */
export function staleVersion(
  entry: RegistryEntry | undefined,
  { name, onTopOf }: { name: string; onTopOf?: string },
): Failure | null {
  if (onTopOf === undefined || entry?.hash === onTopOf) return null;
  return failure(
    "CHANGED_MEANWHILE",
    `workflow ${name} is ${entry === undefined ? "not registered" : entry.hash} now, not ${onTopOf}; nothing was changed`,
    "look at it again, then repeat the call with its new ETag",
  );
}
