import { isDeepStrictEqual } from "node:util";
import {
  type Failure,
  type RegistryEntry,
  type Result,
  WorkflowError,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import { differs } from "./copy-blobs.ts";
import type { Effect } from "./effect.ts";

/** Makes the names of `to` those of `from`. In a folder, the file belongs to a person: what is right in it is not touched. */
export async function copyRegistry(
  from: WorkflowRegistry,
  to: WorkflowRegistry,
  effect: Effect,
): Promise<number> {
  const names = took(await from.workflows());
  for (const [name, entry] of took(await to.workflows())) {
    if (same(names.get(name), entry)) continue;
    await effect("forget a name");
    took(await to.remove(name));
  }
  const left = took(await to.workflows());
  for (const [name, entry] of names) {
    if (left.has(name)) continue;
    await effect("copy a name");
    for (const { hash, sha256, timestamp } of versionsOf(entry))
      took(await to.register({ name, version: { hash, sha256, timestamp } }));
  }
  const copied = took(await to.workflows());
  for (const [name, entry] of names)
    if (copied.get(name)?.sha256 !== entry.sha256) throw differs(`the workflow ${name}`);
  if (copied.size !== names.size) throw differs("the names of workflows");
  return names.size;
}

/** Oldest first. */
function versionsOf(entry: RegistryEntry) {
  return [entry, ...entry.history].toReversed();
}

function same(a: RegistryEntry | undefined, b: RegistryEntry): boolean {
  return a !== undefined && isDeepStrictEqual(versionsOf(a).map(plain), versionsOf(b).map(plain));
}

function plain({ hash, sha256, timestamp }: Omit<RegistryEntry, "history">) {
  return { hash, sha256, timestamp };
}

function took<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value;
  throw new WorkflowError(result.error);
}
