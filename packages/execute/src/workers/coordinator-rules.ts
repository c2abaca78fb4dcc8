import {
  type RoleRules,
  SUB_AGENT_TOOLS,
  type ToolRule,
  WORKER_TOOLS,
} from "@uncaged/workflow-protocol";

/** What a role that coordinates may use: it reads, and it has its tools. Whatever its own policy says, it changes no
 *  files and starts no agents; a command it may run only if its policy names it. */
export function rulesHeld<Rules extends RoleRules>(rules: Rules): Rules {
  if (rules.coordinates === undefined) return rules;
  const { allow = READING, deny = [], ...others } = rules.tools ?? {};
  const tools = {
    ...others,
    allow: [...allow, ...WORKER_TOOLS.map(ofEngine)],
    deny: [...deny, ...CHANGING, ...SUB_AGENTS],
  };
  return { ...rules, tools };
}

/** Agents put prefixes before the names. Of no other kind: a command is not one of them, whatever it is called. */
function ofEngine(name: string): ToolRule {
  return { kind: "other", name: `*${name}` };
}

const READING: readonly ToolRule[] = [
  { kind: "read" },
  { kind: "search" },
  { kind: "fetch" },
  { kind: "think" },
];

const CHANGING: readonly ToolRule[] = [{ kind: "edit" }, { kind: "delete" }, { kind: "move" }];

/** As agents call them; those of kind `other` are refused anyway. */
const SUB_AGENTS: readonly ToolRule[] = SUB_AGENT_TOOLS.map((name) => ({ name }));
