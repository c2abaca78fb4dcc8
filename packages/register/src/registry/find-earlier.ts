import {
  type BundleVersion,
  err,
  type Failure,
  failure,
  ok,
  type RegistryEntry,
  type Result,
} from "@uncaged/workflow-protocol";
import { unknownWorkflow } from "./unknown-workflow.ts";

/** A version of a name, and where in its history it is; null: it is on top. */
export type EarlierVersion = {
  entry: RegistryEntry;
  earlier: { version: BundleVersion; at: number } | null;
};

/** The version that a rollback restores: the newest of the history, or the newest one with `hash`. */
export function findEarlier(
  workflows: ReadonlyMap<string, RegistryEntry>,
  request: { name: string; hash: string | null },
): Result<EarlierVersion, Failure> {
  const entry = workflows.get(request.name);
  if (entry === undefined) return err(unknownWorkflow(workflows, request.name));
  if (request.hash === entry.hash) return ok({ entry, earlier: null });
  const at =
    request.hash === null ? 0 : entry.history.findIndex(({ hash }) => hash === request.hash);
  const version = entry.history[at];
  return version === undefined
    ? err(unknownVersion(entry, request))
    : ok({ entry, earlier: { version, at } });
}

function unknownVersion(
  entry: RegistryEntry,
  request: { name: string; hash: string | null },
): Failure {
  const message =
    request.hash === null
      ? `${request.name} has no earlier version`
      : `${request.name} has no version ${JSON.stringify(request.hash)}`;
  const known = entry.history.map(({ hash }) => hash).join(", ");
  return failure(
    "WORKFLOW_NO_VERSION",
    message,
    known === "" ? "add another version first" : `its versions: ${known}`,
  );
}
