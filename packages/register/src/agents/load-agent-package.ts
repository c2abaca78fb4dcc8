/** Loads an agent's package.
 *
 *  1. It resolves like a bundle's externals: first what the storage root has installed, then what came with the
 *     engine. Any name is allowed: anyone may publish one.
 *  2. Its exports are foreign code: they are recognized by shape, not by class. */
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

/** `AGENT_NOT_FOUND`: it is not installed. `CONFIG_INVALID`: it does not load, or has no `agent` export. */
export async function loadAgentPackage(
  name: string,
  bases: ExternalBases,
): Promise<Result<InstalledAgent, Failure>> {
  // A relative or absolute path is not the name of anything that can be installed.
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

/** As a module next to its `node_modules` would import it. */
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
    "name an agent package in config.agents, or install another version of this one",
  );
}
