import { openRootBundle } from "@uncaged/workflow-execute";
import { type Registry, readRegistry } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "bindings";

/** Checks that the workflows and roles in `config.bindings` exist. A missing one may be added later, or is a typo. */
export async function checkBindings({ root }: DoctorContext): Promise<Check> {
  const registry = await readRegistry(root);
  // Another check reports an unreadable configuration.
  if (!registry.ok) return fine(NAME, "none");
  const { bindings } = registry.value.settings;
  const doubts: string[] = [];
  for (const [workflow, roles] of bindings)
    doubts.push(...(await strays(root, registry.value, { workflow, roles: [...roles.keys()] })));
  if (doubts.length > 0) {
    const { registry: file } = storagePaths(root);
    return doubtful(
      NAME,
      doubts.join("; "),
      `correct config.bindings in ${file}, or add what it names`,
    );
  }
  const bound = [...bindings.values()].reduce((sum, roles) => sum + roles.size, 0);
  return fine(NAME, bound === 0 ? "none" : `${count(bound, "role")} bound on this machine`);
}

async function strays(
  root: string,
  { workflows }: Registry,
  { workflow, roles }: { workflow: string; roles: readonly string[] },
): Promise<string[]> {
  const entry = workflows.get(workflow);
  const name = printableLine(workflow, 60);
  if (entry === undefined) return [`config.bindings.${name}: no workflow is registered as ${name}`];
  const bundle = await openRootBundle(root, entry.hash, entry.sha256);
  if (!bundle.ok) return []; // another check says that
  const known = Object.keys(bundle.value.descriptor.roles);
  return roles
    .filter((role) => !known.includes(role))
    .map(
      (role) =>
        `config.bindings.${name}.${printableLine(role, 60)}: ${name} has no such role (it has: ${known.join(", ")})`,
    );
}
