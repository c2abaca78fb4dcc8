/** Checks roles that coordinate workers. */
import {
  membersIn,
  type RoleMeta,
  type RoleRules,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";
import type { Groups } from "./check-groups.ts";
import { keysOf } from "./keys-of.ts";

/** Faults, each with its place: `roles.lead.coordinates.atOnce: …`. */
export function* coordinatorFaults<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  groups: Groups,
): Generator<string> {
  const members = new Set(
    [...groups.values()].flat().flatMap(({ group }) => membersIn(group).map(({ role }) => role)),
  );
  for (const role of keysOf(definition.roles)) {
    const { coordinates }: RoleRules = definition.roles[role];
    if (coordinates === undefined) continue;
    const place = `roles.${role}.coordinates`;
    if (members.has(role)) yield `${place}: a member of a group cannot coordinate workers`;
    yield* nameFaults(coordinates.workflows, `${place}.workflows`);
    if (coordinates.agents !== undefined) yield* nameFaults(coordinates.agents, `${place}.agents`);
    for (const bound of ["atOnce", "max", "timeoutMs"] as const) {
      const value = coordinates[bound] ?? 1;
      if (!Number.isSafeInteger(value) || value < 1)
        yield `${place}.${bound}: must be a whole number above 0`;
    }
    const { budgetShare = 1 } = coordinates;
    if (!(budgetShare > 0 && budgetShare <= 1))
      yield `${place}.budgetShare: must be a number above 0, and at most 1`;
    for (const name of Object.keys(coordinates))
      if (!FIELDS.has(name)) yield `${place}.${name}: is none of ${[...FIELDS].join(", ")}`;
  }
}

const FIELDS: ReadonlySet<string> = new Set([
  ...["workflows", "agents", "atOnce", "max", "budgetShare", "timeoutMs"],
]);

function* nameFaults(names: unknown, place: string): Generator<string> {
  const isList = Array.isArray(names) && names.length > 0;
  if (!isList || !names.every((name) => typeof name === "string" && name !== ""))
    yield `${place}: must be a list of names, at least one`;
}
