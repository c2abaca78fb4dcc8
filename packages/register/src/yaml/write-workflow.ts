/** A workflow that was compiled from YAML as YAML again, for one whose text is not kept. */
import {
  END,
  FALLBACK,
  type Group,
  type JsonObject,
  type JsonValue,
  type RoleData,
  START,
  SUSPEND,
  type Transition,
  type WorkflowData,
} from "@uncaged/workflow-protocol";
import { Document, isCollection, visit } from "yaml";

/** Whether it compiles to the same bundle is for the caller to find out. */
export function writeWorkflow(data: WorkflowData): string {
  const { description, agents, roles, table, ...others } = data;
  const named = {
    ...(agents.default === null ? {} : { default: agents.default }),
    ...agents.roles,
  };
  const { [START]: start = [], ...entries } = table;
  const document = new Document({
    description,
    ...(Object.keys(named).length === 0 ? {} : { agents: named }),
    roles: mapped(roles, roleOf),
    graph: { $START: startOf(start), ...mapped(entries, entryOf) },
    ...others,
  });
  visit(document, {
    Collection: (_key, node, path) => {
      const isDeep = path.length > 4 || !isCollection(node);
      const json = JSON.stringify(node.toJSON());
      if (isDeep && json.length <= MAX_LINE && !json.includes("\\n")) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const MAX_LINE = 100;

function mapped<T, R>(
  values: { readonly [name: string]: T },
  map: (value: T) => R,
): { [name: string]: R } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

function roleOf({ description, systemPrompt, schema, person, ...rules }: RoleData): object {
  if (person !== undefined) {
    const goal = description === "" ? {} : { goal: description };
    return { by: "person", ...goal, output: schema, ...person, ...rules };
  }
  return { ...promptOf(systemPrompt), output: schema, ...rules };
}

/** The parts that `rolePrompt` put together. */
function promptOf(prompt: string): { goal: string; capabilities?: string[]; procedure?: string } {
  const [head = "", procedure] = split(prompt, "\n\n# Procedure\n\n");
  const [start = "", can] = split(head, "\n\n# What you can do\n\n");
  const goal = split(start, "\n\n# Goal\n\n")[1] ?? start;
  return {
    goal,
    ...(can === undefined ? {} : { capabilities: can.slice(2).split("\n- ") }),
    ...(procedure === undefined ? {} : { procedure }),
  };
}

function split(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function startOf(rules: readonly Transition[]): object {
  return Object.fromEntries(
    rules
      .map((rule): [string, JsonValue] => [
        rule.condition === FALLBACK ? "new" : "resume",
        targetOf(rule),
      ])
      .toReversed(),
  );
}

function entryOf(rules: readonly Transition[]): JsonValue {
  const [only] = rules;
  const isPlain = rules.every(({ outcomes }) => outcomes === undefined);
  if (only !== undefined && rules.length === 1 && only.condition === FALLBACK && isPlain) {
    return targetOf(only);
  }
  const statuses = rules.map(statusesIn);
  if (isPlain && statuses.every((each) => each?.length === 1)) {
    return Object.fromEntries(rules.map((rule, at) => [statuses[at]?.[0] ?? "", targetOf(rule)]));
  }
  return rules.map((rule, at) => {
    const target = targetOf(rule);
    return {
      ...conditionOf(rule, statuses[at] ?? null),
      ...(rule.outcomes === undefined ? {} : { outcomes: [...rule.outcomes] }),
      ...(typeof target === "object" ? target : { role: target }),
    } as JsonObject;
  });
}

function conditionOf({ condition }: Transition, statuses: string[] | null): JsonObject {
  if (condition === FALLBACK) return {};
  const { name, when } = condition;
  if (statuses === null) return { when, name };
  const [only] = statuses;
  return { status: statuses.length === 1 && only !== undefined ? only : statuses };
}

/** The statuses that a condition with its usual name is about. */
function statusesIn({ condition }: Transition): string[] | null {
  if (condition === FALLBACK) return null;
  const { name, when } = condition;
  const values = [...when.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([value]): string =>
    JSON.parse(value),
  );
  if (values.length === 0 || name !== values.join(" or ")) return null;
  const quoted = values.map((value) => JSON.stringify(value));
  const has = values.length === 1 ? `= ${quoted[0]}` : `in [${quoted.join(", ")}]`;
  const ways = [`last.meta.status ${has}`, `$count(group.results[meta.status ${has}]) = group.of`];
  return ways.includes(when) ? values : null;
}

function targetOf(rule: Transition): JsonValue {
  if (rule.group !== undefined) return groupOf(rule.group);
  const { prompt, location } = rule;
  const role = NAMES.get(rule.role) ?? rule.role;
  if (prompt === undefined && location === undefined) return role;
  return {
    role,
    ...(prompt === undefined ? {} : { prompt }),
    ...(location === undefined ? {} : { location }),
  };
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [END, "$END"],
  [SUSPEND, "$SUSPEND"],
]);

function groupOf({ name, ...group }: Group): JsonObject {
  return { group: name, ...group } as JsonObject;
}
