/** Checks that can refuse an agent before it starts. */
import {
  type AgentProbe,
  agentError,
  type RoleRules,
  requiredCalls,
  type StepScope,
  type ToolPolicy,
} from "@uncaged/workflow-protocol";
import { leavesCommands } from "@uncaged/workflow-util/tool-rules";
import type { AgentDriver } from "../driver/agent-driver.ts";
import type { Environment } from "../process/cli-environment.ts";

/** Refuses a role whose rules could not be enforced with this agent, so that no promise is empty. */
export function demandRules({ rules, role }: StepScope, driver: AgentDriver): RoleRules {
  const { tools, requiredEvidence, coordinates } = rules ?? {};
  if (coordinates !== undefined && driver.can.tools === undefined)
    throw unfit(`role ${role} \`coordinates\`, and ${driver.name} takes no tools of the engine`);
  if (tools !== undefined) {
    const why = driver.can.policy
      ? (driver.refuses?.(tools) ?? unasked(tools, driver) ?? online(tools, driver))
      : "a tool policy cannot be enforced with it";
    if (why !== null)
      throw unfit(`role ${role} has \`tools\`, and ${driver.name} cannot play it: ${why}`);
  }
  if (requiredCalls(requiredEvidence).length > 0 && !driver.can.evidence) {
    throw unfit(
      `role ${role} has \`requiredEvidence\`, and ${driver.name} does not report its tool calls`,
    );
  }
  return { tools, requiredEvidence };
}

function unasked({ ask = [] }: ToolPolicy, { can }: AgentDriver): string | null {
  return ask.length === 0 || can.ask === true
    ? null
    : "it cannot wait for a person to allow a call";
}

function online(tools: ToolPolicy, { can }: AgentDriver): string | null {
  return tools.network !== false || can.offline !== undefined || !leavesCommands(tools)
    ? null
    : "its commands cannot be kept from the network, which it needs for its model: deny every call of kind execute, too";
}

/** The role's programs run in a sandbox that has no network. */
export function isOffline({ tools }: RoleRules, { can }: AgentDriver): boolean {
  return tools?.network === false && can.offline !== undefined && can.offline !== "itself";
}

/** Where the programs of such a role find their model; null: they need none, or have a network. */
export function modelAddresses(
  { rules, role }: StepScope,
  driver: AgentDriver,
  env: Environment,
): readonly string[] | null {
  if (!isOffline(rules ?? {}, driver) || driver.modelAddresses === undefined) return null;
  const found = driver.modelAddresses(env);
  if (found.ok) return found.value;
  throw unfit(
    `role ${role} has \`tools.network: false\`, and ${driver.name} cannot play it: ${found.error}`,
  );
}

function unfit(message: string): Error {
  const hint = "bind the role to another agent, or remove the rule from its definition";
  return agentError("crashed", { message, hint, run: null });
}

/** Looks for an agent once per process. Only success is cached, because a missing agent may be installed meanwhile.
 *  Rejects when it is not installed or not logged in. */
export function usableAgent(
  driver: AgentDriver,
  env: () => Readonly<Record<string, string | undefined>>,
): () => Promise<AgentProbe> {
  let found: Promise<AgentProbe> | null = null;
  const look = async (): Promise<AgentProbe> => {
    const probe = await driver.probe({ env: env() });
    const hint = probe.fix ?? "";
    if (!probe.installed) {
      throw agentError("crashed", { message: `${driver.name} is not installed`, hint, run: null });
    }
    if (probe.login === "missing") {
      throw agentError("auth", { message: `${driver.name} is not logged in`, hint, run: null });
    }
    return probe;
  };
  return () => {
    found ??= look().catch((thrown: unknown) => {
      found = null;
      throw thrown;
    });
    return found;
  };
}
