/** `config.limits`: what the threads of a storage root may do at the same time, and use. A misspelt limit would not hold,
 *  so here an unknown key is refused. */
import { type DayBudget, NO_LIMITS, type RootLimits } from "@uncaged/workflow-protocol";
import { callersOf } from "./provider-callers.ts";
import type { Settings } from "./registry.ts";
import { list, mapping, ParseError, type Path, text, wholeNumber } from "./shape.ts";

/** Throws `ParseError`. */
export function parseLimits(
  value: unknown,
  path: Path,
  settings: Pick<Settings, "agents" | "models" | "providers">,
): RootLimits {
  if (value === undefined || value === null) return NO_LIMITS;
  const limits = known(value, path, [
    "threads",
    "workflows",
    "agents",
    "providers",
    "budgetPerDay",
  ]);
  const agentNamed = (name: string, at: Path): string => knownAgent(name, at, settings);
  return {
    threads: optional(limits.get("threads"), [...path, "threads"], countOf),
    workflows: atOnce(limits.get("workflows"), [...path, "workflows"]),
    agents: atOnce(limits.get("agents"), [...path, "agents"], agentNamed),
    providers: Object.fromEntries(
      mapping(limits.get("providers"), [...path, "providers"]).map(([name, provider]) => {
        const at = [...path, "providers", name];
        return [name, parseProvider(provider, at, { name, settings, agentNamed })];
      }),
    ),
    budgetPerDay: optional(limits.get("budgetPerDay"), [...path, "budgetPerDay"], parseBudget),
  };
}

type Providing = {
  name: string;
  settings: Pick<Settings, "agents" | "models" | "providers">;
  agentNamed: (name: string, at: Path) => string;
};

function parseProvider(
  value: unknown,
  path: Path,
  { name, settings, agentNamed }: Providing,
): RootLimits["providers"][string] {
  const keys = ["requestsPerMinute", "tokensPerMinute"] as const;
  const provider = known(value, path, [...keys, "agents"]);
  if (!keys.some((key) => provider.has(key)))
    throw new ParseError(path, `limits nothing; give it ${keys.join(" or ")}`);
  const given = list(provider.get("agents"), [...path, "agents"]).map((agent, n) => {
    const at = [...path, "agents", n];
    return agentNamed(text(agent, at), at);
  });
  return {
    requestsPerMinute: optional(provider.get(keys[0]), [...path, keys[0]], countOf),
    tokensPerMinute: optional(provider.get(keys[1]), [...path, keys[1]], countOf),
    agents: [...new Set([...given, ...callersOf(name, settings)])],
  };
}

function parseBudget(value: unknown, path: Path): DayBudget {
  const budget = known(value, path, ["tokens", "dollars", "zone"]);
  if (!budget.has("tokens") && !budget.has("dollars"))
    throw new ParseError(path, "limits nothing; give it tokens or dollars");
  return {
    tokens: optional(budget.get("tokens"), [...path, "tokens"], countOf),
    costUsd: optional(budget.get("dollars"), [...path, "dollars"], amountOf),
    zone: zoneOf(budget.get("zone"), [...path, "zone"]),
  };
}

/** Default: the machine's. */
function zoneOf(value: unknown, path: Path): string {
  if (value === undefined || value === null)
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = text(value, path);
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new ParseError(path, "must be a time zone, such as Europe/Zurich or UTC");
  }
}

function atOnce(
  value: unknown,
  path: Path,
  checked: (name: string, at: Path) => string = (name) => name,
): Record<string, number> {
  return Object.fromEntries(
    mapping(value, path).map(([name, bounds]) => {
      const at = [...path, name];
      const count = known(bounds, at, ["atOnce"]).get("atOnce");
      return [checked(name, at), countOf(count, [...at, "atOnce"])];
    }),
  );
}

function knownAgent(name: string, at: Path, { agents }: Pick<Settings, "agents">): string {
  if (agents.has(name)) return name;
  const all = [...agents.keys()].join(", ") || "none";
  throw new ParseError(
    at,
    `names ${JSON.stringify(name)}, which config.agents does not have (it has: ${all})`,
  );
}

function known(value: unknown, path: Path, keys: readonly string[]): ReadonlyMap<string, unknown> {
  const entries = mapping(value, path);
  const strange = entries.find(([key]) => !keys.includes(key));
  if (strange === undefined) return new Map(entries);
  const [key] = strange;
  throw new ParseError([...path, key], `is not known here; there are: ${keys.join(", ")}`);
}

function optional<T>(
  value: unknown,
  path: Path,
  parse: (value: unknown, path: Path) => T,
): T | null {
  return value === undefined || value === null ? null : parse(value, path);
}

function countOf(value: unknown, path: Path): number {
  const count = wholeNumber(value, path);
  if (count > 0) return count;
  throw new ParseError(path, "must be 1 or more; to start nothing: uncaged-workflow queue pause");
}

function amountOf(value: unknown, path: Path): number {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new ParseError(path, "must be a number above 0");
}
