import { isAbsolute } from "node:path";
import type { StoreKind } from "@uncaged/workflow-protocol";
import { PLACE_NAME_PATTERN, toJsonObject } from "@uncaged/workflow-protocol";
import { modelReference } from "./model-reference.ts";
import { parseLimits } from "./parse-limits.ts";
import { parseListener } from "./parse-notify.ts";
import type {
  AgentSettings,
  CheckSettings,
  ModelReference,
  ProviderSettings,
  Settings,
  TelemetrySettings,
} from "./registry.ts";
import { list, mapping, ParseError, type Path, text, wholeNumber } from "./shape.ts";

const DEFAULT_MAX_DEPTH = 3;
const SUPERVISOR_OFF = 0;

/** The `config` part, with defaults for what it leaves out. Unknown keys are left alone. Throws `ParseError`. */
export function parseSettings(value: unknown): Settings {
  const config = new Map(mapping(value, ["config"]));
  const agents = named(config.get("agents"), ["config", "agents"], parseAgent);
  const providers = named(config.get("providers"), ["config", "providers"], parseProvider);
  const models = named(config.get("models"), ["config", "models"], parseModel);
  return {
    maxDepth: wholeNumber(config.get("maxDepth") ?? DEFAULT_MAX_DEPTH, ["config", "maxDepth"]),
    supervisorInterval: wholeNumber(config.get("supervisorInterval") ?? SUPERVISOR_OFF, [
      "config",
      "supervisorInterval",
    ]),
    providers,
    models,
    agents,
    bindings: named(config.get("bindings"), ["config", "bindings"], (roles, path) =>
      named(roles, path, (agent, at) => knownAgent(agent, { at, agents })),
    ),
    defaultAgent: optionalText(config.get("defaultAgent"), ["config", "defaultAgent"]),
    retentionDays: retentionDays(config.get("retention"), ["config", "retention"]),
    notify: named(config.get("notify"), ["config", "notify"], parseListener),
    limits: parseLimits(config.get("limits"), ["config", "limits"], { agents, models, providers }),
    telemetry: telemetry(config.get("telemetry"), ["config", "telemetry"]),
    store: storeKind(config.get("store"), ["config", "store"]),
    tasks: {
      integration: optionalText(config.get("integration"), ["config", "integration"]),
      worktrees: absolutePath(config.get("worktrees"), ["config", "worktrees"]),
      setup: optionalText(config.get("setup"), ["config", "setup"]),
      mergeCheck: optionalText(config.get("mergeCheck"), ["config", "mergeCheck"]),
      mergeByHost: trueOrFalse(config.get("mergeByHost") ?? false, ["config", "mergeByHost"]),
      reviewers: reviewers(config.get("reviewers"), ["config", "reviewers"]),
      taskPool: poolName(config.get("taskPool"), ["config", "taskPool"]),
    },
    isolation: isolation(config.get("isolation"), ["config", "isolation"]),
    checks: checks(config.get("checks"), ["config", "checks"]),
    snapshots: trueOrFalse(config.get("snapshots") ?? true, ["config", "snapshots"]),
  };
}

function poolName(value: unknown, path: Path): string | null {
  const name = optionalText(value, path);
  if (name === null || PLACE_NAME_PATTERN.test(name)) return name;
  throw new ParseError(path, "must be the name of a pool, such as gpu");
}

function isolation(value: unknown, path: Path): Settings["isolation"] {
  if (value === undefined || value === null) return "auto";
  if (value === "none" || value === "auto" || value === "sandbox") return value;
  throw new ParseError(path, "must be none, auto or sandbox");
}

function checks(value: unknown, path: Path): CheckSettings {
  const given = new Map(mapping(value, path));
  const folders = texts(given.get("path"), [...path, "path"]);
  for (const [at, folder] of folders.entries())
    if (!isAbsolute(folder) || folder.includes(":"))
      throw new ParseError([...path, "path", at], "must be the absolute path of a folder");
  const variables = texts(given.get("variables"), [...path, "variables"]);
  for (const [at, name] of variables.entries())
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new ParseError([...path, "variables", at], "must be the name of a variable");
  return { path: folders, variables };
}

function reviewers(value: unknown, path: Path): string[] {
  const roles = texts(value, path);
  for (const [at, role] of roles.entries())
    if (!/^[^/\s]+\/[^/\s]+$/.test(role))
      throw new ParseError([...path, at], "must be a role of a workflow: <workflow>/<role>");
  return roles;
}

function texts(value: unknown, path: Path): string[] {
  return list(value, path).map((each, at) => text(each, [...path, at]));
}

function retentionDays(value: unknown, path: Path): number | null {
  if (value === undefined || value === null) return null;
  return wholeNumber(new Map(mapping(value, path)).get("days"), [...path, "days"]);
}

function telemetry(value: unknown, path: Path): TelemetrySettings | null {
  if (value === undefined || value === null) return null;
  const given = new Map(mapping(value, path));
  const endpoint = optionalText(given.get("endpoint"), [...path, "endpoint"]);
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new ParseError([...path, "endpoint"], "must be an http or https URL");
  const content = trueOrFalse(given.get("content") ?? false, [...path, "content"]);
  return { endpoint, content };
}

function trueOrFalse(value: unknown, path: Path): boolean {
  if (typeof value === "boolean") return value;
  throw new ParseError(path, "must be true or false");
}

function storeKind(value: unknown, path: Path): StoreKind {
  if (value === undefined || value === null) return "files";
  if (value === "files" || value === "packed") return value;
  throw new ParseError(path, "must be files or packed");
}

function named<T>(
  value: unknown,
  path: Path,
  parse: (value: unknown, path: Path) => T,
): ReadonlyMap<string, T> {
  return new Map(mapping(value, path).map(([name, item]) => [name, parse(item, [...path, name])]));
}

function parseProvider(value: unknown, path: Path): ProviderSettings {
  const provider = new Map(mapping(value, path));
  return {
    baseUrl: text(provider.get("baseUrl"), [...path, "baseUrl"]),
    apiKey: optionalText(provider.get("apiKey"), [...path, "apiKey"]),
  };
}

function parseModel(value: unknown, path: Path): ModelReference {
  const reference = modelReference(text(value, path));
  if (reference === null) throw new ParseError(path, "must be <provider>/<model>");
  return reference;
}

function parseAgent(value: unknown, path: Path): AgentSettings {
  const agent = new Map(mapping(value, path));
  const options = toJsonObject(agent.get("options") ?? {});
  if (options === null)
    throw new ParseError([...path, "options"], "must be a mapping of plain values");
  return { package: text(agent.get("package"), [...path, "package"]), options };
}

/** With a typing mistake here, another agent than the intended one would run. */
function knownAgent(
  value: unknown,
  { at, agents }: { at: Path; agents: Settings["agents"] },
): string {
  const name = text(value, at);
  if (agents.has(name)) return name;
  const known = [...agents.keys()].join(", ") || "none";
  throw new ParseError(
    at,
    `is ${JSON.stringify(name)}, which config.agents does not have (it has: ${known})`,
  );
}

function absolutePath(value: unknown, path: Path): string | null {
  const folder = optionalText(value, path);
  if (folder === null || isAbsolute(folder)) return folder;
  throw new ParseError(path, "must be an absolute path");
}

function optionalText(value: unknown, path: Path): string | null {
  return value === undefined || value === null ? null : text(value, path);
}
