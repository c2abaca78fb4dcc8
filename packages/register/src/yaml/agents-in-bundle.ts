import { parseJson, type WorkflowData } from "@uncaged/workflow-protocol";
import { DATA_AFTER, DATA_BEFORE } from "./module-text.ts";

/** The agents named by a bundle made from YAML. null: the bundle is code, which binds its agents itself. */
export function agentsInBundle(bytes: Buffer): WorkflowData["agents"] | null {
  const code = bytes.toString("utf8");
  if (!code.startsWith(DATA_BEFORE) || !code.endsWith(DATA_AFTER)) return null;
  const literal = parseJson(code.slice(DATA_BEFORE.length, -DATA_AFTER.length));
  const data = objectIn(typeof literal === "string" ? parseJson(literal) : null);
  const agents = objectIn(data.get("agents"));
  const roles = [...objectIn(agents.get("roles"))].filter(isNamed);
  const byDefault = agents.get("default");
  return {
    default: typeof byDefault === "string" ? byDefault : null,
    roles: Object.fromEntries(roles),
  };
}

function objectIn(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}

function isNamed(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}
