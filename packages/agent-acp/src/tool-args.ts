/** What an agent is told about tools on its command line, because the protocol has no way that it follows. */
import { SUB_AGENT_TOOLS, type ToolPolicy } from "@uncaged/workflow-protocol";
import type { AgentStep } from "@uncaged/workflow-util-agent";
import type { AcpProgram } from "./acp-program.ts";

export type ToldStep = Pick<AgentStep, "isWorker" | "policy" | "toolServer">;

/** The engine's tools. They can be read there by everybody, and name a socket in a folder that only this user can enter.
 *  A role that coordinates uses no agents but its workers; and a worker none, unless a rule of its role names them. */
export function toolArgs(
  { toolServerFlag: flag, withoutAgents }: Pick<AcpProgram, "toolServerFlag" | "withoutAgents">,
  { isWorker, policy, toolServer }: ToldStep,
): string[] {
  if (toolServer === undefined)
    return isWorker === true && !mayUseAgents(policy) ? [...withoutAgents] : [];
  if (flag === null) return [...withoutAgents];
  const { name, command, args } = toolServer;
  const server = { type: "local", command, args, tools: ["*"] };
  return [flag, JSON.stringify({ mcpServers: { [name]: server } }), ...withoutAgents];
}

function mayUseAgents(policy: ToolPolicy | null): boolean {
  const named = policy?.allow?.map(({ name }) => name) ?? [];
  return SUB_AGENT_TOOLS.some((name) => named.includes(name));
}
