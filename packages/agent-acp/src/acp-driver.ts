import type { AgentProbe } from "@uncaged/workflow-protocol";
import { type AgentDriver, type Environment, probeProgram } from "@uncaged/workflow-util-agent";
import type { AcpAgentConfig } from "./acp-config.ts";
import { AcpConversation } from "./acp-conversation.ts";
import { type AcpProgram, acpProgram } from "./acp-program.ts";
import { unkeptRule } from "./unkept-rule.ts";

/** The driver of an agent that speaks the Agent Client Protocol over its stdin and stdout. */
export function acpDriver(config: AcpAgentConfig): AgentDriver {
  const program = acpProgram(config);
  return {
    name: program.name,
    passEnv: program.passEnv,
    can: {
      evidence: true,
      policy: program.asks.length > 0,
      ask: true,
      tools: "mcp",
      resume: true,
    },
    // Settings are written again each time; a login may have been renewed.
    keeps: [...program.sessions, ...program.logins.map(({ to }) => to).filter(isLogIn)],
    refuses: (policy) => unkeptRule(policy, program.asks),
    probe: ({ env }) => probe(program, env),
    open: async (step) => new AcpConversation(program, step),
  };
}

/** Among the lent files, `.env` and settings are not the agent's to renew. */
function isLogIn(path: string): boolean {
  return path.endsWith(".json");
}

async function probe(program: AcpProgram, env: Environment): Promise<AgentProbe> {
  const found = await probeProgram([program.command], env);
  if (found === null) {
    const nothing = { path: null, version: null, installed: false, login: "unknown" } as const;
    return { ...nothing, features: [], fix: program.install };
  }
  // A key may also be in the program's own configuration, or in the system's keyring: its absence means nothing.
  const key = program.auth.find(({ variable }) => variable !== null && env[variable] !== undefined);
  return {
    ...found,
    installed: true,
    login: key === undefined ? "unknown" : "ok",
    features: ["acp"],
    fix: key === undefined ? `if it is not logged in: ${program.login}` : null,
  };
}
