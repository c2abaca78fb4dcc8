import { openRootBundle } from "@uncaged/workflow-execute";
import { agentRoles, isFinal } from "@uncaged/workflow-protocol";
import { agentsInBundle, type Registry, roleAgents } from "@uncaged/workflow-register";
import { hasIndex } from "@uncaged/workflow-util";
import { withEngine } from "../command/with-engine.ts";
import type { DoctorContext } from "./check.ts";

/** Maps a name to what needs it: YAML workflows, for roles that no binding on this machine gives to another agent,
 *  and unfinished threads. The agents of a workflow in code are known only when a role runs. */
export async function unknownAgents(
  { root, env }: Pick<DoctorContext, "root" | "env">,
  { workflows, settings }: Registry,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const askers = new Map<string, string[]>();
  const note = (agent: string | null, asker: string): void => {
    if (agent === null || settings.agents.has(agent)) return;
    const known = askers.get(agent) ?? [];
    if (!known.includes(asker)) askers.set(agent, [...known, asker]);
  };
  for (const [name, { hash, sha256 }] of workflows) {
    const bundle = await openRootBundle(root, hash, sha256);
    if (!bundle.ok) continue; // another check says that
    const { bytes, descriptor } = bundle.value;
    const roles = agentRoles(descriptor);
    const agents = roleAgents({ name, roles, named: agentsInBundle(bytes) }, settings);
    for (const { agent, by } of agents.values())
      if (by === "workflow") note(agent, `workflow ${name}`);
  }
  if (!hasIndex(root)) return askers;
  const threads = await withEngine({ env }, (engine) => engine.store.list({}));
  for (const { agent, status, threadId } of threads)
    if (!isFinal(status)) note(agent, `thread ${threadId}`);
  return askers;
}
