/** Checks for a new schedule or trigger. */
import type { Engine } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  WORKFLOW_NAME_PATTERN,
} from "@uncaged/workflow-protocol";
import { unknownWorkflow } from "@uncaged/workflow-register";

/** `USAGE` for an invalid name, `WORKFLOW_NOT_FOUND`. */
export async function checkNew(
  { registry }: Pick<Engine, "registry">,
  { name, workflow }: { name: string; workflow: string },
): Promise<Result<null, Failure>> {
  // The name becomes a part of start keys and labels.
  if (!WORKFLOW_NAME_PATTERN.test(name)) return err(noName(name));
  const workflows = await registry.workflows();
  if (!workflows.ok) return workflows;
  return workflows.value.has(workflow) ? ok(null) : err(unknownWorkflow(workflows.value, workflow));
}

/** The failure for a name that is taken; null: the store accepted it. */
export async function refusalOf(added: Promise<void>): Promise<Failure | null> {
  try {
    await added;
    return null;
  } catch (thrown) {
    const refusal = failureFrom(thrown, "INTERNAL");
    if (refusal.code !== "TARGET_EXISTS") throw thrown;
    return refusal;
  }
}

function noName(name: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(name)} is not a name for this`,
    "a name has up to 64 lower-case letters, digits, dots, hyphens and underscores, and begins and ends with a letter or digit",
  );
}
