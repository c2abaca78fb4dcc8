import type { AgentProbe } from "@uncaged/workflow-protocol";
import { type Environment, probeProgram } from "@uncaged/workflow-util-agent";
import type { HermesConfig } from "./hermes-config.ts";

export const INSTALL_HINT =
  "install Hermes: https://hermes-agent.nousresearch.com/docs/getting-started/installation";

/** Hermes keeps its keys in its own configuration and has no command that tells whether one is set. */
export async function probeHermes(
  { command = "hermes" }: Pick<HermesConfig, "command">,
  env: Environment,
): Promise<AgentProbe> {
  const found = await probeProgram([command], env);
  return found === null
    ? {
        path: null,
        version: null,
        installed: false,
        login: "unknown",
        features: [],
        fix: INSTALL_HINT,
      }
    : { ...found, installed: true, login: "unknown", features: ["resume"], fix: null };
}
