import { pickRoute } from "@uncaged/workflow-moderator";
import {
  type AgentFault,
  type DescriptorEdge,
  failedOutput,
  type RoleOutput,
  type RoleStep,
  type ThreadContext,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { RunRole } from "./bind-roles.ts";
import { withRetries } from "./with-retries.ts";

type Turn = {
  edges: readonly DescriptorEdge[];
  runRole: RunRole;
  entered: WorkflowRuntime;
  timeLeftMs: number | null;
};

/** Runs the role. If it fails and the table has a rule for that outcome, the failure is the step's result; otherwise
 *  the rejection is passed on. */
export async function runOrRoute(
  ctx: ThreadContext,
  { edges, runRole, entered, timeLeftMs }: Turn,
): Promise<RoleOutput> {
  await entered.ready;
  try {
    return await withRetries(runRole, ctx, { runtime: entered, timeLeftMs });
  } catch (thrown) {
    if (entered.signal.aborted) throw thrown;
    const output = failedOutput(entered.step, thrown);
    if (output?.outcome === undefined) throw thrown;
    const after = { ...ctx, steps: [...ctx.steps, provisional(output, output.outcome)] };
    const { matched } = await pickRoute(edges, after);
    if (matched === null) throw thrown;
    return output;
  }
}

/** The step as rules see it; fields that rules do not look at are not known yet. */
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
