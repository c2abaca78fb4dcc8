/** Schedules and triggers are known by their names. */
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

const NOT_FOUND = { schedule: "SCHEDULE_NOT_FOUND", trigger: "TRIGGER_NOT_FOUND" } as const;

/** `SCHEDULE_NOT_FOUND` or `TRIGGER_NOT_FOUND`, with the names that exist. */
export async function findNamed<T extends { name: string }>(
  kind: keyof typeof NOT_FOUND,
  among: { get(name: string): Promise<T | null>; list(): Promise<T[]> },
  name: string,
): Promise<Result<T, Failure>> {
  const found = await among.get(name);
  if (found !== null) return ok(found);
  const known = (await among.list()).map((each) => each.name);
  const hint =
    known.length === 0
      ? `add one with: uncaged-workflow ${kind} add <name> --help`
      : `there are: ${known.join(", ")}`;
  return err(failure(NOT_FOUND[kind], `no ${kind} is called ${JSON.stringify(name)}`, hint));
}

function noName(name: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(name)} is not a valid name`,
    "a name has up to 64 lower-case letters, digits, dots, hyphens and underscores, and begins and ends with a letter or digit",
  );
}
