/** What each change of a registry makes of a name, wherever the names are kept. */
import {
  type BundleVersion,
  err,
  type Failure,
  ok,
  type RegistryEntry,
  type Result,
} from "@uncaged/workflow-protocol";
import { findEarlier } from "./find-earlier.ts";
import { staleVersion } from "./stale-version.ts";

type Entries = ReadonlyMap<string, RegistryEntry>;

/** `entry`: to be kept under the name from now on; the one that was given when nothing changes. */
export function registered(
  entries: Entries,
  { name, version, ...condition }: { name: string; version: BundleVersion; onTopOf?: string },
): Result<{ entry: RegistryEntry; previous: string | null }, Failure> {
  const before = entries.get(name);
  const stale = staleVersion(before, { name, ...condition });
  if (stale !== null) return err(stale);
  const previous = before?.hash ?? null;
  if (before === undefined) return ok({ entry: { ...version, history: [] }, previous });
  if (before.hash === version.hash && before.sha256 === version.sha256)
    return ok({ entry: before, previous });
  const history = [versionOf(before), ...before.history];
  return ok({ entry: { ...version, history }, previous });
}

export function rolledBack(
  entries: Entries,
  request: { name: string; hash: string | null },
): Result<{ entry: RegistryEntry; hash: string; previous: string }, Failure> {
  const found = findEarlier(entries, request);
  if (!found.ok) return found;
  const { entry, earlier } = found.value;
  const previous = entry.hash;
  if (earlier === null) return ok({ entry, hash: previous, previous });
  const history = [versionOf(entry), ...entry.history.toSpliced(earlier.at, 1)];
  const { version } = earlier;
  return ok({ entry: { ...version, history }, hash: version.hash, previous });
}

function versionOf({ hash, sha256, timestamp }: RegistryEntry): BundleVersion {
  return { hash, sha256, timestamp };
}
