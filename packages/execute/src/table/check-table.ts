/** What can be said about a table without a thread: rules that are never tried, roles that are never reached, paths
 *  that never end, limits that cannot be intended, results that are not shown whole.
 *
 *  1. Conditions are not interpreted: each may hold or fail, except `true` and `false`.
 *  2. A state in which no rule holds ends the thread; so only a state whose rules cannot all fail lacks that exit. */
import { checkRuleWarnings } from "@uncaged/workflow-moderator";
import {
  type DescriptorEdge,
  END,
  membersIn,
  type RuleOutcome,
  START,
  SUSPEND,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { checkFields } from "./check-fields.ts";
import { checkLimits } from "./check-limits.ts";
import { checkMetaFields } from "./check-meta-fields.ts";
import type { TableFinding } from "./table-finding.ts";

export function checkTable(descriptor: WorkflowDescriptor): TableFinding[] {
  const { roles, graph, ...bounds } = descriptor;
  const groups = groupsIn(graph.edges);
  const states = statesOf([START, ...Object.keys(roles), ...groups.keys()], graph.edges);
  const reached = reachedFrom(START, states);
  const members = membersOf([...reached], groups);
  const ending = leadingToEnd(states);
  const findings: TableFinding[] = [];
  // A workflow function that is written by hand has no table.
  for (const [name, state] of graph.edges.length === 0 ? [] : states) {
    findings.push(...state.dead, ...slowRules(state));
    if (groups.has(name) && !reached.has(name)) continue;
    if (!reached.has(name) && !members.has(name)) findings.push(unreachable(name));
    else if (reached.has(name) && !ending.has(name)) findings.push(endless(name, state));
  }
  return [
    ...findings,
    ...checkLimits({ roles, ...bounds }, stepsToEnd(states, groups)),
    ...checkMetaFields({ roles }),
    ...checkFields(descriptor).filter(({ place }) => !isIn(place, findings)),
  ];
}

/** Nothing else about a rule that is never tried matters. */
function isIn(place: string, findings: readonly TableFinding[]): boolean {
  return findings.some(
    ({ code, place: dead }) => code === "RULE_DEAD" && place.startsWith(`${dead}.`),
  );
}

type PlacedRule = { edge: DescriptorEdge; place: string };
type State = {
  rules: readonly PlacedRule[];
  dead: readonly TableFinding[];
  /** Where its live rules lead, plus `__end__` if all of them can fail. */
  leadsTo: ReadonlySet<string>;
};

/** Group name → the roles that are its members. */
function groupsIn(edges: readonly DescriptorEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { group } of edges) {
    if (group === undefined) continue;
    const roles = groups.get(group.name) ?? new Set<string>();
    groups.set(group.name, roles);
    for (const { role } of membersIn(group)) roles.add(role);
  }
  return groups;
}

function membersOf(
  reached: readonly string[],
  groups: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  return new Set(reached.flatMap((name) => [...(groups.get(name) ?? [])]));
}

function statesOf(
  names: readonly string[],
  edges: readonly DescriptorEdge[],
): ReadonlyMap<string, State> {
  const byState = Map.groupBy(edges, ({ from }) => from);
  return new Map(names.map((name) => [name, stateOf(name, byState.get(name) ?? [])]));
}

function stateOf(name: string, edges: readonly DescriptorEdge[]): State {
  const rules = edges.map((edge, at) => ({ edge, place: `table.${name}[${at}]` }));
  const dead: TableFinding[] = [];
  const leadsTo = new Set<string>();
  // From each outcome to the rule that catches all that is left of it.
  const taken = new Map<RuleOutcome, string>();
  for (const { edge, place } of rules) {
    const outcomes = edge.outcomes ?? OK;
    const why = whyDead(edge, outcomes, taken);
    if (why !== null) {
      dead.push({ code: "RULE_DEAD", level: "fault", place, message: why });
      continue;
    }
    leadsTo.add(edge.to);
    if (!alwaysHolds(edge)) continue;
    for (const outcome of outcomes) if (!taken.has(outcome)) taken.set(outcome, place);
  }
  if (!taken.has("ok")) leadsTo.add(END);
  return { rules, dead, leadsTo };
}

const OK: readonly RuleOutcome[] = ["ok"];

function whyDead(
  { when, condition }: DescriptorEdge,
  outcomes: readonly RuleOutcome[],
  taken: ReadonlyMap<RuleOutcome, string>,
): string | null {
  if (when?.trim() === "false") return `the condition ${condition} never holds`;
  const before = outcomes.map((outcome) => taken.get(outcome));
  const first = before.find((place) => place !== undefined);
  if (first === undefined || before.includes(undefined)) return null;
  return `the rule ${condition} is never tried: ${first} always holds before it`;
}

function alwaysHolds({ when }: DescriptorEdge): boolean {
  return when === null || when.trim() === "true";
}

function reachedFrom(start: string, states: ReadonlyMap<string, State>): ReadonlySet<string> {
  const reached = new Set<string>([start]);
  // A set iterates over elements that are added during iteration.
  for (const name of reached) {
    for (const to of states.get(name)?.leadsTo ?? []) reached.add(to);
  }
  return reached;
}

/** Every state from which some path leads to the end. */
function leadingToEnd(states: ReadonlyMap<string, State>): ReadonlySet<string> {
  const leading = new Set<string>([END]);
  for (let before = 0; before !== leading.size; ) {
    before = leading.size;
    for (const [name, { leadsTo }] of states) {
      if ([...leadsTo].some((to) => leading.has(to))) leading.add(name);
    }
  }
  return leading;
}

/** Length of the shortest path; null: there is none. A group may have no members, so it counts as no step. */
function stepsToEnd(
  states: ReadonlyMap<string, State>,
  groups: ReadonlyMap<string, unknown>,
): number | null {
  const steps = new Map<string, number>([[START, 0]]);
  // Again and again, until nothing gets shorter: there are no more passes than states.
  for (let shorter = true; shorter; ) {
    shorter = false;
    for (const [name, taken] of steps) {
      for (const to of states.get(name)?.leadsTo ?? []) {
        const there = to === END || groups.has(to) ? taken : taken + 1;
        if (there >= (steps.get(to) ?? Number.POSITIVE_INFINITY)) continue;
        steps.set(to, there);
        shorter = true;
      }
    }
  }
  return steps.get(END) ?? null;
}

function unreachable(name: string): TableFinding {
  const message = `nothing leads to ${name} from the start`;
  return { code: "ROLE_UNREACHABLE", level: "fault", place: `roles.${name}`, message };
}

function endless(name: string, { leadsTo }: State): TableFinding {
  const others = [...leadsTo].filter((to) => to !== name && to !== SUSPEND);
  const place = `table.${name}`;
  if (others.length > 0 || name === START) {
    const message = `no path leads from ${name} to ${END}: the thread runs until a limit stops it`;
    return { code: "NO_END", level: "fault", place, message };
  }
  const message = `every rule of ${name} leads back to ${name}`;
  return { code: "NO_WAY_OUT", level: "fault", place, message };
}

function slowRules({ rules }: State): TableFinding[] {
  const findings: TableFinding[] = [];
  for (const { edge, place } of rules) {
    for (const message of edge.when === null ? [] : checkRuleWarnings(edge.when))
      findings.push({ code: "RULE_SLOW", level: "warning", place, message });
  }
  return findings;
}
