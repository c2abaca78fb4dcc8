/** A role's rules, and the limits of a whole workflow, under the same names as in code. */
import {
  AGENT_FAULTS,
  CANARY_PRESETS,
  type CanaryFile,
  type CheckRequirement,
  type Coordinates,
  type EvidenceRequirement,
  type Failure,
  type Limits,
  type RequiredEvidence,
  type RetryPolicy,
  type RoleRules,
  TOOL_KINDS,
  type ToolPolicy,
  type ToolRule,
} from "@uncaged/workflow-protocol";
import { isMap } from "yaml";
import {
  allOf,
  amountOf,
  choiceOf,
  countOf,
  entriesOf,
  fault,
  fieldsOf,
  flagOf,
  type Item,
  textOf,
} from "./item.ts";
import type { YamlChecks } from "./yaml-checks.ts";

export const RULE_FIELDS = [
  "tools",
  "requiredEvidence",
  "timeoutMs",
  "retry",
  "limits",
  "coordinates",
] as const;

/** What the file leaves out, the result leaves out. */
export function readRules(
  fields: ReadonlyMap<string, Item>,
  { checkPattern }: YamlChecks,
): RoleRules {
  const pattern = (item: Item): string | null => checkedText(item, checkPattern);
  return read(fields, {
    tools: (item) => readTools(item, pattern),
    requiredEvidence: (item) => allOf(item, (each) => readEvidence(each, pattern)),
    timeoutMs: above0,
    retry: readRetry,
    limits: readLimits,
    coordinates: readCoordinates,
  });
}

function readCoordinates(item: Item): Coordinates | null {
  const known = ["workflows", "agents", "atOnce", "max", "budgetShare", "timeoutMs"];
  const fields = fieldsOf(item, { known, required: ["workflows"] });
  if (fields === null) return null;
  const { workflows, ...others } = read<Coordinates>(fields, {
    workflows: readNames,
    agents: readNames,
    atOnce: above0,
    max: above0,
    budgetShare: (share) =>
      (amountOf(share) ?? 0) > 1 ? fault(share, "must be at most 1") : amountOf(share),
    timeoutMs: above0,
  });
  return workflows === undefined ? null : { workflows, ...others };
}

function readNames(item: Item): string[] | null {
  const names = allOf(item, textOf);
  return names?.length === 0 ? fault(item, "must name at least one") : names;
}

export function readLimits(item: Item): Limits | null {
  const fields = fieldsOf(item, { known: ["steps", "tokens", "costUsd", "timeMs"] });
  if (fields === null) return null;
  return read(fields, { steps: above0, tokens: above0, costUsd: amountOf, timeMs: above0 });
}

/** A text that passes a given check. */
export function checkedText(item: Item, check: (text: string) => Failure | null): string | null {
  const text = textOf(item);
  const problem = text === null ? null : check(text);
  return problem === null ? text : fault(item, problem.message);
}

/** The fields that are present and can be read; the readers report the others. */
function read<T extends object>(
  fields: ReadonlyMap<string, Item>,
  readers: { readonly [K in keyof T]: (item: Item) => T[K] | null },
): Partial<T> {
  const values: Partial<T> = {};
  for (const name of keysIn(readers)) {
    const item = fields.get(String(name));
    const value = item === undefined ? null : readers[name](item);
    if (value !== null) values[name] = value;
  }
  return values;
}

function* keysIn<T extends object>(object: T): Generator<keyof T> {
  for (const key in object) yield key;
}

function above0(item: Item): number | null {
  return countOf(item, { atLeast: 1 });
}

function readRetry(item: Item): RetryPolicy | null {
  const known = ["attempts", "backoffMs", "maxBackoffMs", "on"];
  const fields = fieldsOf(item, { known, required: ["attempts"] });
  if (fields === null) return null;
  const count = (each: Item): number | null => countOf(each, { atLeast: 0 });
  const { attempts, ...others } = read(fields, {
    attempts: count,
    backoffMs: count,
    maxBackoffMs: count,
    on: (list) => allOf(list, (each) => choiceOf(each, AGENT_FAULTS)),
  });
  return attempts === undefined ? null : { attempts, ...others };
}

type ReadPattern = (item: Item) => string | null;

function readTools(item: Item, pattern: ReadPattern): ToolPolicy | null {
  const fields = fieldsOf(item, { known: ["allow", "deny", "ask", "network", "askTimeoutMs"] });
  if (fields === null) return null;
  const list = (items: Item): ToolRule[] | null => allOf(items, (rule) => readTool(rule, pattern));
  return read(fields, {
    allow: list,
    deny: list,
    ask: list,
    network: flagOf,
    askTimeoutMs: (ms) => countOf(ms, { atLeast: 1 }),
  });
}

function readTool(item: Item, pattern: ReadPattern): ToolRule | null {
  const fields = fieldsOf(item, { known: ["kind", "name", "input", "command"] });
  if (fields === null) return null;
  if (!fields.has("kind") && !fields.has("name")) {
    return fault(item, 'must name the tool: "kind", "name" or both');
  }
  return read(fields, {
    kind: (kind) => choiceOf(kind, TOOL_KINDS),
    name: textOf,
    input: pattern,
    command: readCommand,
  });
}

/** The words of a command. */
function readCommand(item: Item): string[] | null {
  return allOf(item, textOf);
}

function readEvidence(item: Item, pattern: ReadPattern): RequiredEvidence | null {
  const isCheck = isMap(item.node) && item.node.has("check");
  return isCheck ? readCheck(item) : readCalls(item, pattern);
}

function readCheck(item: Item): CheckRequirement | null {
  const check = fieldsOf(item, { known: ["check"] })?.get("check");
  if (check === undefined) return null;
  const known = [
    "command",
    "timeoutMs",
    "setup",
    "protect",
    "canary",
    "network",
    "writes",
    "approver",
    "variables",
  ];
  const fields = fieldsOf(check, { known, required: ["command"] });
  if (fields === null) return null;
  const { command, ...others } = read<CheckRequirement["check"]>(fields, {
    command: readCommand,
    timeoutMs: above0,
    setup: readCommand,
    protect: readCommand,
    canary: (each) => (isMap(each.node) ? readCanary(each) : choiceOf(each, CANARIES)),
    network: flagOf,
    writes: readCommand,
    approver: readCommand,
    variables: readVariables,
  });
  return command === undefined ? null : { check: { command, ...others } };
}

function readVariables(item: Item): { [name: string]: string } | null {
  const entries = entriesOf(item, "a mapping from names to texts");
  if (entries === null) return null;
  const texts = [...entries].map(([name, each]) => [name, textOf(each)] as const);
  const whole = texts.filter((pair): pair is readonly [string, string] => pair[1] !== null);
  return whole.length === texts.length ? Object.fromEntries(whole) : null;
}

const CANARIES = [...CANARY_PRESETS, "none"] as const;

function readCanary(item: Item): CanaryFile | null {
  const names = ["path", "content"];
  const fields = fieldsOf(item, { known: names, required: names });
  if (fields === null) return null;
  const { path, content } = read<CanaryFile>(fields, { path: textOf, content: textOf });
  return path === undefined || content === undefined ? null : { path, content };
}

function readCalls(item: Item, pattern: ReadPattern): EvidenceRequirement | null {
  const known = ["name", "kind", "input", "command", "after"];
  const required = ["name", "kind"];
  const fields = fieldsOf(item, { known, required });
  if (fields === null) return null;
  if (!fields.has("input") && !fields.has("command")) return fault(item, '"input" is missing');
  const { name, kind, ...others } = read(fields, {
    name: textOf,
    kind: (each) => choiceOf(each, TOOL_KINDS),
    input: pattern,
    command: readCommand,
    after: (each) => choiceOf(each, ["last_edit"]),
  });
  return name === undefined || kind === undefined ? null : { name, kind, ...others };
}
