/** Loads the package that plays as an agent.
 *
 *  1. It resolves as a bundle's externals do: what the storage root has installed comes first, then what the
 *     engine brought. Its name is free: anybody may publish one.
 *  2. What it exports is somebody else's: it is known by its shape, not by a class. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AgentPackage,
  err,
  type Failure,
  failure,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { resolve } from "import-meta-resolve";
import type { ExternalBases } from "../externals/external-bases.ts";
import { type LocatedPackage, locateExternal } from "../externals/locate-package.ts";

export type InstalledAgent = { agent: AgentPackage; located: LocatedPackage };

/** `AGENT_NOT_FOUND`: it is not installed. `CONFIG_INVALID`: it does not load, or exports no `agent`. */
export async function loadAgentPackage(
  name: string,
  bases: ExternalBases,
): Promise<Result<InstalledAgent, Failure>> {
  // A name that leads elsewhere is the name of nothing that can be installed.
  const located = /(?:^|\/)\.{1,2}(?:\/|$)|^\//.test(name) ? null : locateExternal(name, bases);
  if (located === null) return err(notInstalled(name));
  const exported = await importFrom(located);
  if (!exported.ok) return err(unusable(located, exported.error));
  const { agent } = exported.value;
  if (isAgentPackage(agent)) return ok({ agent, located });
  const found = Object.keys(exported.value).sort().join(", ") || "nothing";
  return err(
    unusable(located, `exports no agent with name, create and probe; it exports: ${found}`),
  );
}

/** As a module beside its `node_modules` would import it. */
async function importFrom({
  name,
  installedIn,
}: LocatedPackage): Promise<Result<{ agent?: unknown }, string>> {
  try {
    const from = pathToFileURL(join(installedIn, "importer.js")).href;
    const exported: { agent?: unknown } = await import(resolve(name, from));
    return ok(exported);
  } catch (thrown) {
    return err(`does not load: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function isAgentPackage(value: unknown): value is AgentPackage {
  if (typeof value !== "object" || value === null) return false;
  if (!("name" in value && "create" in value && "probe" in value)) return false;
  const { name, create, probe } = value;
  return typeof name === "string" && typeof create === "function" && typeof probe === "function";
}

function notInstalled(name: string): Failure {
  return failure(
    "AGENT_NOT_FOUND",
    `the agent package ${name} is not installed`,
    `install it with: uncaged-workflow agent add ${name}`,
  );
}

function unusable({ name, version, folder }: LocatedPackage, problem: string): Failure {
  return failure(
    "CONFIG_INVALID",
    `the package ${name} ${version} in ${folder} ${problem}`,
    "name a package in config.agents that plays as an agent, or install another version of this one",
  );
}
