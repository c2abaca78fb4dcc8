/** The graph: from `$START` and from each role, where to go next.
 *
 *  1. Every role has an entry, and an entry continues from every status that the role may report: a thread never
 *     ends because somebody forgot a line.
 *  2. Rules are tried in file order.
 *  3. A group has an entry under its name; a role that plays only as a member of groups needs none. */
import { FALLBACK, membersIn, START, type Transition } from "@uncaged/workflow-protocol";
import { isMap, isSeq } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import { entriesOf, fault, fieldsOf, type Item, itemsOf, keyFault } from "./item.ts";
import { type NamedGroups, namedGroups } from "./named-groups.ts";
import type { Statuses } from "./read-output.ts";
import { type EntryScope, readRule, statusCondition, unknownStatus } from "./read-rule.ts";
import { readTarget, type TargetScope } from "./read-target.ts";
import type { RuleItems } from "./written.ts";
import type { YamlChecks } from "./yaml-checks.ts";

export type GraphScope = {
  roles: ReadonlyMap<string, Statuses>;
  checks: YamlChecks;
  /** Notes what each rule is read from. */
  rules: RuleItems;
};

export type Table = { [START]: Transition[]; [from: string]: Transition[] };

export function readGraph(item: Item, { roles, checks, rules }: GraphScope): Table {
  const names = [...roles.keys()];
  const entries =
    entriesOf(item, "a mapping with $START and every role") ?? new Map<string, Item>();
  const groups = namedGroups(item);
  const known = ["$START", ...names, ...groups.keys()];
  for (const [name, entry] of entries) {
    if (!known.includes(name)) {
      keyFault(entry, `there is no role ${JSON.stringify(name)}${didYouMean(name, known)}`);
    }
  }
  const scopeOf = (from: string): EntryScope => ({
    ...{ from, roles: names, groups: [...groups.keys()], checks, rules },
    statuses: roles.get(from) ?? statusesOfGroup(groups.get(from), roles),
  });
  const table = [...names, ...groups.keys()].flatMap((from): [string, Transition[]][] => {
    const entry = entries.get(from);
    return entry === undefined ? [] : [[from, readEntry(entry, scopeOf(from))]];
  });
  const start = entries.get("$START");
  const first = start === undefined ? [] : readStart(start, scopeOf("$START"));
  const isMember = onlyAsMember([...first, ...table.flatMap(([, transitions]) => transitions)]);
  for (const name of known) {
    if (!entries.has(name) && !isMember(name)) sayMissingEntry(item, name, { names, groups });
  }
  return { ...Object.fromEntries(table), [START]: first };
}

function sayMissingEntry(
  item: Item,
  name: string,
  { names, groups }: { names: readonly string[]; groups: NamedGroups },
): void {
  if (name === "$START") {
    const first = names[0] ?? "writer";
    keyFault(item, `"$START" is missing: who begins? Write below graph: $START: { new: ${first} }`);
  } else {
    const what = groups.has(name) ? "what comes after the group" : "who comes after it";
    keyFault(item, `${JSON.stringify(name)} is missing: ${what}?`);
  }
}

/** Whether a role runs in groups and nowhere else. */
function onlyAsMember(transitions: readonly Transition[]): (role: string) => boolean {
  const alone = new Set(transitions.map(({ role }) => role));
  const members = new Set(
    transitions.flatMap(({ group }) =>
      group === undefined ? [] : membersIn(group).map(({ role }) => role),
    ),
  );
  return (role) => members.has(role) && !alone.has(role);
}

/** What members of a group may report; "unreadable" when that is not known of each. */
function statusesOfGroup(
  members: ReadonlySet<string> = new Set(),
  roles: ReadonlyMap<string, Statuses>,
): Statuses {
  const all = [...members].map((role) => roles.get(role) ?? "unreadable");
  if (all.length === 0 || all.includes("unreadable")) return "unreadable";
  const listedOnes = all.filter((statuses) => typeof statuses !== "string");
  return listedOnes.length === 0 ? "none" : [...new Set(listedOnes.flat())];
}

/** `new`, and `resume` for a thread that continues from the state of another one, whose step started it. */
function readStart(item: Item, scope: TargetScope): Transition[] {
  const fields = fieldsOf(item, { known: ["new", "resume"], required: ["new"] });
  const resume = fields?.get("resume");
  const begin = fields?.get("new");
  const transitions: Transition[] = [];
  const resumed = resume === undefined ? null : readTarget(resume, scope);
  if (resumed !== null) {
    const condition = { name: "resume", when: "start.parentState != null" };
    transitions.push(noted({ condition, ...resumed }, resume, scope));
  }
  const begun = begin === undefined ? null : readTarget(begin, scope);
  if (begun !== null) {
    transitions.push(noted({ condition: FALLBACK, ...begun }, begin, scope));
  }
  return transitions;
}

function readEntry(item: Item, scope: EntryScope): Transition[] {
  if (isSeq(item.node)) return readRuleList(item, scope);
  if (!isMap(item.node) || item.node.has("role")) {
    const target = readTarget(item, scope);
    return target === null ? [] : [noted({ condition: FALLBACK, ...target }, item, scope)];
  }
  return readStatuses(item, scope);
}

/** status → target */
function readStatuses(item: Item, scope: EntryScope): Transition[] {
  const { from, statuses } = scope;
  if (statuses === "none") {
    fault(
      item,
      `the output of ${from} has no "status" with an "enum" to decide by; name the next role, or add one`,
    );
    return [];
  }
  const entries = entriesOf(item, "a mapping of statuses to roles") ?? new Map<string, Item>();
  if (scope.groups.includes(from)) return readGroupStatuses(item, entries, scope);
  const transitions: Transition[] = [];
  for (const [status, entry] of entries) {
    const unknown = unknownStatus(status, scope);
    if (unknown !== null) keyFault(entry, unknown);
    const target = readTarget(entry, scope);
    if (target !== null) {
      transitions.push(
        noted({ condition: statusCondition([status], scope), ...target }, entry, scope),
      );
    }
  }
  sayMissing(
    item,
    listed(statuses).filter((status) => !entries.has(status)),
  );
  return transitions;
}

/** After a group: a status that all members have → target, and `otherwise`, for members seldom agree. */
function readGroupStatuses(
  item: Item,
  entries: ReadonlyMap<string, Item>,
  scope: EntryScope,
): Transition[] {
  const transitions: Transition[] = [];
  for (const [status, entry] of entries) {
    const isOther = status === OTHERWISE;
    const unknown = isOther ? null : unknownStatus(status, scope);
    if (unknown !== null) keyFault(entry, unknown);
    const target = readTarget(entry, scope);
    const condition = isOther ? FALLBACK : statusCondition([status], scope);
    if (target !== null) transitions.push(noted({ condition, ...target }, entry, scope));
  }
  if ([...entries.keys()].at(-1) !== OTHERWISE)
    keyFault(item, `the last must be "${OTHERWISE}": members need not agree`);
  return transitions;
}

const OTHERWISE = "otherwise";

/** Rules with conditions, tried in order. */
function readRuleList(item: Item, scope: EntryScope): Transition[] {
  const transitions: Transition[] = [];
  // Statuses that no rule covers yet.
  const isGroup = scope.groups.includes(scope.from);
  let open: readonly string[] = isGroup ? [] : listed(scope.statuses);
  let isOpen = true;
  for (const each of itemsOf(item) ?? []) {
    const rule = readRule(each, scope);
    if (rule === null) continue;
    if (rule.transition !== null) transitions.push(noted(rule.transition, each, scope));
    const { settles } = rule;
    // That all members of a group have one status is never certain.
    if (settles === "nothing" || (isGroup && settles !== "all")) continue;
    if (!isOpen) keyFault(each, "is never reached: the rules before it always hold");
    open = settles === "all" ? [] : open.filter((status) => !settles.includes(status));
    if (settles === "all" || (open.length === 0 && listed(scope.statuses).length > 0))
      isOpen = false;
  }
  if (open.length > 0) sayMissing(item, open);
  else if (isOpen) keyFault(item, "the last rule must always hold: one without status and when");
  return transitions;
}

/** The rule, with where it is written. */
function noted(rule: Transition, item: Item | undefined, { rules }: TargetScope): Transition {
  if (item !== undefined) rules.set(rule, item);
  return rule;
}

function listed(statuses: Statuses): readonly string[] {
  return typeof statuses === "string" ? [] : statuses;
}

function sayMissing(item: Item, missing: readonly string[]): void {
  if (missing.length === 0) return;
  const names = missing.map((status) => JSON.stringify(status)).join(", ");
  keyFault(item, `nothing is said about the status ${names}`);
}
