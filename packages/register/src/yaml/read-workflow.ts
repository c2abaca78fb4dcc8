import { type RoleData, WORKSPACE_MODES, type WorkflowData } from "@uncaged/workflow-protocol";
import { didYouMean } from "./did-you-mean.ts";
import { choiceOf, entriesOf, fault, fieldsOf, type Item, keyFault, textOf } from "./item.ts";
import { readGraph } from "./read-graph.ts";
import { type ReadRole, readRole } from "./read-role.ts";
import { checkedText, readLimits } from "./read-rules.ts";
import { type RuleItems, type Written, writtenAt } from "./written.ts";
import type { YamlChecks } from "./yaml-checks.ts";

/** The whole file, and where its parts stand. What it returns is complete only when nothing was faulted. */
export function readWorkflow(
  item: Item,
  checks: YamlChecks,
): { data: WorkflowData; written: Written } {
  const fields = fieldsOf(item, { known: FIELDS, required: ["description", "roles", "graph"] });
  const field = <T>(name: string, read: (value: Item) => T | null): T | null => {
    const value = fields?.get(name);
    return value === undefined ? null : read(value);
  };
  const description = field("description", textOf) ?? "";
  const roles = field("roles", (each) => readRoles(each, checks)) ?? new Map<string, ReadRole>();
  const agents = field("agents", (each) => readAgents(each, roles)) ?? NO_AGENTS;
  const statuses = new Map([...roles].map(([name, role]) => [name, role.statuses]));
  const rules: RuleItems = new Map();
  // Of a graph without roles nothing can be said that helps.
  const graph =
    roles.size === 0
      ? null
      : field("graph", (each) => readGraph(each, { roles: statuses, checks, rules }));
  const limits = field("limits", readLimits);
  const result = field("result", (each) => checkedText(each, checks.checkRule));
  const workspace = field("workspace", (each) => choiceOf(each, WORKSPACE_MODES));
  const data = [...roles].flatMap(([name, role]): [string, RoleData][] =>
    role.data === null ? [] : [[name, role.data]],
  );
  const table = graph ?? { __start__: [] };
  return {
    data: {
      description: description.trim(),
      agents,
      roles: Object.fromEntries(data),
      table,
      ...(limits === null ? {} : { limits }),
      ...(result === null ? {} : { result }),
      ...(workspace === null ? {} : { workspace }),
    },
    written: writtenAt({ table, rules, fields: fields ?? new Map() }),
  };
}

const FIELDS = ["description", "agents", "roles", "graph", "limits", "result", "workspace"];
const NO_AGENTS: WorkflowData["agents"] = { default: null, roles: {} };

function readRoles(item: Item, checks: YamlChecks): Map<string, ReadRole> | null {
  const entries = entriesOf(item, "a mapping of names to roles");
  if (entries === null) return null;
  if (entries.size === 0) fault(item, "must have at least one role");
  return new Map([...entries].map(([name, entry]) => [name, readRole(name, entry, checks)]));
}

/** `default`, and roles with their own agents. */
function readAgents(
  item: Item,
  known: ReadonlyMap<string, ReadRole>,
): WorkflowData["agents"] | null {
  const entries = entriesOf(item, 'a mapping of "default" and of roles to agents');
  if (entries === null) return null;
  const roles = [...known.keys()];
  let byDefault: string | null = null;
  const others: [string, string][] = [];
  for (const [name, entry] of entries) {
    const agent = textOf(entry);
    if (name !== "default" && !roles.includes(name)) {
      keyFault(
        entry,
        `there is no role ${JSON.stringify(name)}${didYouMean(name, ["default", ...roles])}`,
      );
    }
    if (known.get(name)?.data?.person !== undefined) keyFault(entry, "a person plays this role");
    if (agent === null) continue;
    if (name === "default") byDefault = agent;
    else others.push([name, agent]);
  }
  return { default: byDefault, roles: Object.fromEntries(others) };
}
