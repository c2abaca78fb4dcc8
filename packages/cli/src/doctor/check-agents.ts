import { locateExternal, readSettings } from "@uncaged/workflow-register";
import { printableLine } from "../printable.ts";
import { shellWord } from "../shell-word.ts";
import { type Check, fine, type Patient, wrong } from "./check.ts";

const NAME = "agents";

/** The adapters that the configuration names are installed, and its default is one of them. */
export async function checkAgents({ root }: Patient): Promise<Check> {
  const settings = await readSettings(root);
  // Another check says that the configuration cannot be read.
  if (!settings.ok || settings.value.agents.size === 0) return fine(NAME, "none are configured");
  const { agents, defaultAgent } = settings.value;
  const bases = { root, packagesBase: import.meta.url };
  const missing = [...agents].filter(([, agent]) => locateExternal(agent.package, bases) === null);
  if (missing.length > 0) {
    const packages = missing.map(([, agent]) => shellWord(agent.package));
    return wrong(
      NAME,
      missing.map(([name, agent]) => `${name}: ${agent.package} is not installed`).join("; "),
      `npm install --prefix ${shellWord(root)} ${packages.join(" ")}`,
    );
  }
  if (defaultAgent !== null && !agents.has(defaultAgent)) {
    const name = printableLine(defaultAgent, 60);
    return wrong(
      NAME,
      `defaultAgent is ${name}, which config.agents does not name`,
      "mend workflow.yaml",
    );
  }
  return fine(NAME, [...agents.keys()].join(", "));
}
