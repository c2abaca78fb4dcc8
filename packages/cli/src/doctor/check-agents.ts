import { addAgentsCommand, readRegistry } from "@uncaged/workflow-register";
import { type AgentReport, inspectConfigured } from "../agent/inspect-agents.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";
import { unknownAgents } from "./unknown-agents.ts";

const NAME = "agents";

/** Checks that the agents named by workflows and threads are configured, that the configured ones are installed and
 *  logged in, and that the default is one of them. */
export async function checkAgents(context: DoctorContext): Promise<Check> {
  const { root, env } = context;
  const registry = await readRegistry(root);
  // Another check reports an unreadable configuration.
  if (!registry.ok) return fine(NAME, "none are configured");
  const { settings } = registry.value;
  const { agents, defaultAgent } = settings;
  if (defaultAgent !== null && !agents.has(defaultAgent)) {
    const name = printableLine(defaultAgent, 60);
    return wrong(
      NAME,
      `defaultAgent is ${name}, which config.agents does not name`,
      "choose one with: uncaged-workflow setup --default-agent <name>",
    );
  }
  const unknown = await unknownAgents(context, registry.value);
  if (unknown.size > 0) {
    const asked = [...unknown].map(([name, by]) => `${printableLine(name, 60)} (${by.join(", ")})`);
    return wrong(
      NAME,
      `not in config.agents, but required: ${asked.join("; ")}`,
      `with this or another adapter: ${addAgentsCommand([...unknown.keys()])}`,
    );
  }
  const reports = await inspectConfigured({ root, settings, env });
  const unfit = reports.filter(({ installed, login }) => !installed || login === "missing");
  if (unfit.length > 0) return wrong(NAME, unfit.map(faultOf).join("; "), fixOf(unfit));
  return fine(NAME, reports.length === 0 ? "none are configured" : reports.map(text).join(", "));
}

function faultOf({ name, package: packageName, packageVersion, installed }: AgentReport): string {
  if (packageVersion === null) return `${name}: ${packageName} is not installed`;
  return installed ? `${name} is not logged in` : `${name} cannot work`;
}

function fixOf(unfit: readonly AgentReport[]): string {
  const fixes = unfit.flatMap(({ fix }) => (fix === null ? [] : [fix]));
  return fixes.length === 0 ? "see: uncaged-workflow agent list" : fixes.join("; ");
}

function text({ name, version }: AgentReport): string {
  return version === null ? `${name}` : `${name} ${version}`;
}
