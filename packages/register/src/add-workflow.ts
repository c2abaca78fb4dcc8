/** All of `workflow add`: a file in, a registered version out, or a failure with nothing changed.
 *
 *  Order of effects: the file is read once and checked; then its bundle is stored durably; then the registry names
 *  it. A crash in between leaves a folder that nothing refers to. */
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  WORKFLOW_NAME_PATTERN,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import { storeBundle } from "./bundle/store-bundle.ts";
import type { Judge } from "./check/finding.ts";
import { checkWorkflowFile, type WorkflowFileToCheck } from "./check-workflow-file.ts";
import { refuseFaults } from "./refuse-faults.ts";

export type AddWorkflow = WorkflowFileToCheck & {
  name: string;
  registry: WorkflowRegistry;
  /** Only as the successor of this version of the name: `CHANGED_MEANWHILE`. Left out: of any. */
  onTopOf?: string;
  nowMs: number;
  /** A workflow with a fault is refused; left out: nothing is asked. */
  judge?: Judge;
  /** Adds it all the same; its faults are notes then. */
  force?: boolean;
};

export type AddedWorkflow = {
  name: string;
  hash: string;
  sha256: string;
  /** The hash that the name pointed to before; null when the name is new. Equal to `hash` when it was already on
   *  top. */
  previous: string | null;
  /** For people: what else happened. */
  notes: string[];
};

export async function addWorkflow(add: AddWorkflow): Promise<Result<AddedWorkflow, Failure>> {
  if (!WORKFLOW_NAME_PATTERN.test(add.name)) return err(badName(add.name));
  try {
    // An unreadable registry should be noticed before anything is stored.
    const readable = await add.registry.workflows();
    if (!readable.ok) return readable;
    const bundle = await checkWorkflowFile(add);
    if (!bundle.ok) return bundle;
    const { notes, source, ...toStore } = bundle.value;
    const judged = refuseFaults({ file: add.file, source, descriptor: toStore.descriptor }, add);
    if (!judged.ok) return judged;
    await storeBundle(add.root, toStore);
    const { hash, sha256 } = toStore;
    const version = { hash, sha256, timestamp: add.nowMs };
    const { name, onTopOf } = add;
    // Compared where it is written: of two that saw the same version, one passes.
    const added = await add.registry.register({
      name,
      version,
      ...(onTopOf === undefined ? {} : { onTopOf }),
    });
    if (!added.ok) return added;
    const { previous } = added.value;
    const all = [...notes, ...judged.value, ...added.value.notes];
    return ok({ name, hash, sha256, previous, notes: all });
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

function badName(name: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(name)} is not a workflow name`,
    "names have 1 to 64 lower-case letters, digits, . _ and -, and begin and end with a letter or digit",
  );
}
