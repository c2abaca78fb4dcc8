import { pickRoute } from "@uncaged/workflow-moderator";
import {
  type AgentFault,
  agentFaultOf,
  type DescriptorEdge,
  failureFrom,
  type RoleOutput,
  type RoleStep,
  type ThreadContext,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { PlayRole } from "./bind-roles.ts";
import { failedRunOf } from "./failed-run.ts";
import { playWithin } from "./play-within.ts";

type Turn = {
  edges: readonly DescriptorEdge[];
  play: PlayRole;
  entered: WorkflowRuntime;
  timeLeftMs: number | null;
};

/** Plays the role. When it fails and the table has a rule for that, its failure is the step's result; the
 *  rejection is passed on otherwise. */
export async function playOrRoute(
  ctx: ThreadContext,
  { edges, play, entered, timeLeftMs }: Turn,
): Promise<RoleOutput> {
  try {
    return await playWithin(play, ctx, { runtime: entered, timeLeftMs });
  } catch (thrown) {
    if (entered.signal.aborted) throw thrown;
    const fault = agentFaultOf(thrown);
    if (fault === null) throw thrown;
    const output = failedOutput(entered, thrown, { ...fault, run: failedRunOf(fault.run) });
    const after = { ...ctx, steps: [...ctx.steps, provisional(output, fault.outcome)] };
    const { matched } = await pickRoute(edges, after);
    if (matched === null) throw thrown;
    return output;
  }
}

function failedOutput(
  { step }: WorkflowRuntime,
  thrown: unknown,
  { outcome, run }: { outcome: AgentFault; run: RoleOutput["run"] },
): RoleOutput {
  const { code, message } = failureFrom(thrown, "AGENT_FAILED");
  return {
    role: step.role,
    meta: { outcome, reason: message },
    content: `${code}: ${message}`,
    refs: [],
    childThread: null,
    route: step.route,
    run,
    outcome,
  };
}

/** The step as rules see it; what they do not look at is not known yet. */
function provisional(output: RoleOutput, outcome: AgentFault): RoleStep {
  return {
    role: output.role,
    meta: output.meta,
    contentHash: "",
    refs: [],
    timestamp: Date.now(),
    childThread: null,
    run: null,
    outcome,
  };
}
