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
  type WorkflowDefinition,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { boundFaults, outcomeFaults } from "./check-bounds.ts";
import { personFaults } from "./check-people.ts";
import { toolFaults } from "./check-tools.ts";

/** Checks what the compiler cannot see and what plain JavaScript can get wrong: names, targets, conditions,
 *  placeholders. Throws `RULE_INVALID` naming every fault by its place (`table.coder[1].when`). */
export function checkDefinition<M extends RoleMeta>(definition: WorkflowDefinition<M>): void {
  const roles = new Set(Object.keys(definition.roles));
  const faults = [
    ...roleFaults(roles),
    ...boundFaults(definition),
    ...toolFaults(definition),
    ...personFaults(definition),
    ...tableFaults(definition, roles),
    ...resultFaults(definition),
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

function* tableFaults<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  roles: ReadonlySet<string>,
): Generator<string> {
  const table = new Map(Object.entries(definition.table));
  for (const from of [START, ...roles]) {
    if (!table.has(from))
      yield `table.${from}: the entry is missing; an empty list ends the thread there`;
  }
  for (const [from, transitions] of table) {
    if (from !== START && !roles.has(from)) yield `table.${from}: there is no role of this name`;
    for (const [at, transition] of transitions.entries()) {
      yield* transitionFaults(transition, { place: `table.${from}[${at}]`, from, roles });
    }
  }
}

function* resultFaults({ result }: { result?: unknown }): Generator<string> {
  if (result === undefined) return;
  const fault =
    typeof result === "string" ? checkRule(result) : { message: "must be an expression" };
  if (fault !== null) yield `result: ${fault.message}`;
}

type Where = { place: string; from: string; roles: ReadonlySet<string> };

function* transitionFaults(
  transition: Transition,
  { place, from, roles }: Where,
): Generator<string> {
  const { condition, role, prompt, location, outcomes } = transition;
  if (role !== END && role !== SUSPEND && !roles.has(role)) {
    yield `${place}.role: there is no role "${role}"`;
  }
  if (role === SUSPEND && from === START) {
    yield `${place}.role: a thread cannot wait for an answer before its first step`;
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
