/** `workflow show --yaml`: the text of a version, to be changed and added again. */
import { findVersion } from "@uncaged/workflow-execute";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { workflowText } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { openRegistry } from "../command/open-registry.ts";
import { ruleChecker } from "../command/rule-checker.ts";

/** `yaml` null: the workflow is code. */
export type VersionText = { name: string; hash: string; yaml: string | null };

export async function versionText(
  name: string,
  version: string | null,
  io: Io,
): Promise<Result<VersionText, Failure>> {
  const root = storageRoot(io.env);
  const called = version === null ? name : `${name}@${version}`;
  const found = await findVersion({ root, registry: openRegistry(root) }, called);
  if (!found.ok) return found;
  const { hash } = found.value;
  const yaml = await workflowText(root, found.value, ruleChecker().checks);
  return ok({ name, hash, yaml });
}

export async function showYaml(called: string, io: Io): Promise<Result<Output, Failure>> {
  const [name = "", version = null] = called.split("@", 2);
  const found = await versionText(name, version, io);
  if (!found.ok) return found;
  const { hash, yaml } = found.value;
  if (yaml === null) return err(isCode(called));
  return ok({ document: { name, hash, yaml }, verbatim: yaml });
}

function isCode(called: string): Failure {
  return failure(
    "WORKFLOW_IS_CODE",
    `${called} is written in TypeScript, and YAML cannot say what code does`,
    "change its source, or begin a new one: uncaged-workflow init <name> --template yaml",
  );
}
