import { checkRule, checkTemplate } from "@uncaged/workflow-moderator";
import {
  END,
  FALLBACK,
  failure,
  type RoleMeta,
  roleNameFault,
  START,
  SUSPEND,
  type Transition,
  WORKSPACE_MODES,
  type WorkflowDefinition,
  WorkflowError,
  type WorkspaceMode,
} from "@uncaged/workflow-protocol";
import { boundFaults, outcomeFaults } from "./check-bounds.ts";
import { coordinatorFaults } from "./check-coordinators.ts";
import { type Groups, groupFaults, groupsIn, membersOnly } from "./check-groups.ts";
import { personFaults } from "./check-people.ts";
import { toolFaults } from "./check-tools.ts";
import { keysOf } from "./keys-of.ts";

/** Checks what the compiler cannot see and what plain JavaScript can get wrong: names, targets, conditions,
 *  placeholders. Throws `RULE_INVALID` naming every fault by its place (`table.coder[1].when`). */
export function checkDefinition<M extends RoleMeta>(definition: WorkflowDefinition<M>): void {
  const roles = new Set(Object.keys(definition.roles));
  const table = new Map<string, readonly Transition[]>(Object.entries(definition.table));
  const groups = groupsIn(table);
  const people = new Set(
    keysOf(definition.roles).filter((role) => definition.roles[role].person !== undefined),
  );
  const faults = [
    ...roleFaults(roles),
    ...boundFaults(definition),
    ...toolFaults(definition),
    ...personFaults(definition),
    ...tableFaults(table, { roles, groups }),
    ...groupFaults(groups, { roles, people }),
    ...coordinatorFaults(definition, groups),
    ...resultFaults(definition),
    ...workspaceFaults(definition),
  ];
  if (faults.length === 0) return;
  throw new WorkflowError(
    failure(
      "RULE_INVALID",
      faults.join("; "),
      "correct the workflow's definition at the named places",
    ),
  );
}

function* roleFaults(roles: ReadonlySet<string>): Generator<string> {
  for (const role of roles) {
    const fault = roleNameFault(role);
    if (fault !== null) yield `roles.${role}: ${fault}`;
  }
}

function* tableFaults(
  table: ReadonlyMap<string, readonly Transition[]>,
  names: Names,
): Generator<string> {
  const { roles, groups } = names;
  const members = membersOnly(table, groups);
  for (const from of [START, ...roles, ...groups.keys()]) {
    if (!table.has(from) && !members.has(from))
      yield `table.${from}: the entry is missing; an empty list ends the thread there`;
  }
  for (const [from, transitions] of table) {
    if (from !== START && !roles.has(from) && !groups.has(from))
      yield `table.${from}: there is no role or group of this name`;
    for (const [at, transition] of transitions.entries()) {
      yield* transitionFaults(transition, { place: `table.${from}[${at}]`, from, ...names });
    }
  }
}

function* resultFaults({ result }: { result?: unknown }): Generator<string> {
  if (result === undefined) return;
  const fault =
    typeof result === "string" ? checkRule(result) : { message: "must be an expression" };
  if (fault !== null) yield `result: ${fault.message}`;
}

function* workspaceFaults({ workspace }: { workspace?: WorkspaceMode }): Generator<string> {
  if (workspace !== undefined && !WORKSPACE_MODES.includes(workspace))
    yield `workspace: "${workspace}" is none of ${WORKSPACE_MODES.join(", ")}`;
}

type Names = { roles: ReadonlySet<string>; groups: Groups };
type Where = Names & { place: string; from: string };

function* transitionFaults(
  transition: Transition,
  { place, from, roles, groups }: Where,
): Generator<string> {
  const { condition, role, prompt, location, outcomes } = transition;
  if (role !== undefined && role !== END && role !== SUSPEND && !roles.has(role)) {
    yield `${place}.role: there is no role "${role}"`;
  }
  if (role === SUSPEND && from === START) {
    yield `${place}.role: a thread cannot wait for an answer before its first step`;
  }
  if (role === SUSPEND && groups.has(from)) {
    yield `${place}.role: a group cannot be given an answer; lead to a role that asks`;
  }
  if (outcomes !== undefined) yield* outcomeFaults(outcomes, place);
  if (condition !== FALLBACK) {
    if (condition.name === "" || condition.name === FALLBACK) {
      yield `${place}.condition.name: "${condition.name}" is not a name for a condition`;
    }
    const fault = checkRule(condition.when);
    if (fault !== null) yield `${place}.when: ${fault.message}`;
  }
  for (const [field, template] of [
    ["prompt", prompt],
    ["location", location],
  ] as const) {
    const fault = template === undefined ? null : checkTemplate(template);
    if (fault !== null) yield `${place}.${field}: ${fault.message}`;
  }
}
