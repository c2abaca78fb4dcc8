/** Adds an agent: fetches, tries out, installs and configures it, or does nothing. Several commands at once take
 *  turns from the installation on. An agent that came with the command line is only configured. */
import {
  type AgentHost,
  err,
  type Failure,
  failure,
  failureFrom,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
  toJsonObject,
  WORKFLOW_NAME_PATTERN,
} from "@uncaged/workflow-protocol";
import {
  agentHost,
  type InstalledAgent,
  loadAgentPackage,
  readSettings,
  type Settings,
} from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { warn } from "../command/warn.ts";
import { withRegistry } from "../command/with-registry.ts";
import { printableLine } from "../terminal/printable.ts";
import { insidePackage } from "./inside-package.ts";
import { probeOf } from "./inspect-agents.ts";
import { installPackage } from "./install-package.ts";
import { withPackagesLock } from "./packages-lock.ts";
import { withStagedPackage } from "./stage-package.ts";

export type AddAgent = {
  /** npm package, tarball or folder. */
  source: string;
  /** null: the name in its package. */
  name: string | null;
  /** Each is `key=value`. */
  options: readonly string[];
};

export async function add(request: AddAgent, io: Io): Promise<Result<Output, Failure>> {
  const given = optionsIn(request.options);
  // Agent packages are loaded here, and may print.
  io.hostBundle(io.json ? "nowhere" : "to stderr");
  const root = storageRoot(io.env);
  const signal = io.interruption();
  const inside = await insidePackage(request.source, { cwd: io.cwd, root });
  if (inside !== null && !inside.ok) return inside;
  const add = (found: InstalledAgent, install: Install): Promise<Result<Output, Failure>> =>
    withPackagesLock({ root, signal, io }, () =>
      addFound(found, { name: request.name, given, root, io, install }),
    );
  if (inside !== null) return add(inside.value, (settle) => settle());
  const call = { env: io.env, signal, io };
  return withStagedPackage({ source: request.source, cwd: io.cwd, ...call }, (staged) =>
    add(staged, (settle) => installPackage({ root, staged, ...call, settle })),
  );
}

type Settle = () => Promise<Result<Output, Failure>>;
/** Calls `settle` once the package is where it will be loaded from. */
type Install = (settle: Settle) => Promise<Result<Output, Failure>>;

async function addFound(
  found: InstalledAgent,
  at: {
    name: string | null;
    given: JsonObject;
    root: string;
    io: Io;
    install: Install;
  },
): Promise<Result<Output, Failure>> {
  const { root, io } = at;
  // Inside the installation lock: another process may have taken the name meanwhile.
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const host = agentHost(settings.value, { root, env: io.env });
  const plan = planOf(settings.value, { name: at.name, given: at.given, found, host });
  if (!plan.ok) return plan;
  return at.install(() => configure(plan.value, { root, host, io }));
}

type Plan = { name: string; package: string; version: string; options: JsonObject };

/** What will be configured. The agent itself checks its options. */
function planOf(
  settings: Settings,
  {
    name: wanted,
    given,
    found,
    host,
  }: { name: string | null; given: JsonObject; found: InstalledAgent; host: AgentHost },
): Result<Plan, Failure> {
  const { agent, located } = found;
  if (isEnginesOwn(located.name)) return err(poses(located.name));
  const name = wanted ?? agent.name;
  if (!WORKFLOW_NAME_PATTERN.test(name)) return err(badName(name));
  const known = settings.agents.get(name);
  if (known !== undefined && known.package !== located.name) return err(taken(name, known.package));
  // Another version of the same agent keeps its options, unless new ones are given.
  const options = Object.keys(given).length === 0 ? (known?.options ?? {}) : given;
  try {
    agent.create(options, host);
  } catch (thrown) {
    const { code, message, hint } = failureFrom(thrown, "CONFIG_INVALID");
    return err(failure(code, `${located.name} rejects its options: ${message}`, hint));
  }
  return ok({ name, package: located.name, version: located.version, options });
}

async function configure(
  plan: Plan,
  { root, host, io }: { root: string; host: AgentHost; io: Io },
): Promise<Result<Output, Failure>> {
  const { name, version, options } = plan;
  const installed = await loadAgentPackage(plan.package, { root, packagesBase: import.meta.url });
  if (!installed.ok) return installed;
  const agents = { [name]: { package: plan.package, options } };
  const changed = await withRegistry(io, ({ registry }) => registry.configure({ agents }));
  if (!changed.ok) return changed;
  await warn(io, changed.value.notes);
  const probe = await probeOf(installed.value.agent, { options, host });
  return ok({
    document: { name, package: plan.package, version, options, probe },
    human: ({ bold, dim, cyan }) => {
      const added = `${bold(name)} is configured ${dim(`(${plan.package} ${version})`)}`;
      return probe.fix === null
        ? added
        : `${added}\n${cyan("to do:")} ${printableLine(probe.fix, 500)}`;
    },
  });
}

function optionsIn(pairs: readonly string[]): JsonObject {
  const entries = pairs.map((pair): [string, unknown] => {
    const [, key, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined)
      throw usageError(`--option must be key=value; it was ${JSON.stringify(pair)}`);
    return [key, jsonOrText(value)];
  });
  const options = toJsonObject(Object.fromEntries(entries));
  if (options !== null) return options;
  throw usageError("--option has a value that is nested too deep");
}

function jsonOrText(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** A package that workflows import, or the engine itself, but not one with an agent. */
function isEnginesOwn(name: string): boolean {
  return name.startsWith("@uncaged/") && !name.startsWith("@uncaged/workflow-agent-");
}

function poses(name: string): Failure {
  return failure(
    "INSTALL_FAILED",
    `the package is named ${name}: in the storage root it would replace the engine's own for every workflow`,
    "nothing was changed; an agent package needs a name of its own",
  );
}

function badName(name: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(name)} is not an agent name: lower-case letters, digits, . _ and - only`,
    "give one with: --name <name>",
  );
}

function taken(name: string, packageName: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `config.agents has ${JSON.stringify(name)} already: ${packageName}`,
    "give this one another name with: --name <name>",
  );
}
