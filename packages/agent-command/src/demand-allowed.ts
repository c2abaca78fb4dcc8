import { agentError, type WorkflowRuntime } from "@uncaged/workflow-protocol";
import { policyVerdict } from "@uncaged/workflow-util-agent";
import type { CommandOrder } from "./command-order.ts";

/** Refuses a command that the role's tool policy does not allow. Throws `AGENT_DENIED`. */
export function demandAllowed(
  { command, commandLine, title }: CommandOrder,
  { emit, step }: Pick<WorkflowRuntime, "emit" | "step">,
): void {
  const policy = step.rules?.tools;
  if (policy === undefined) return;
  const call = { name: command, kind: "execute", subject: commandLine } as const;
  const { allowed, reason } = policyVerdict(policy, call);
  emit({ type: "permission", tool: command, allowed, reason });
  if (allowed) return;
  throw agentError("denied", {
    message: `${title} was not started: ${reason}`,
    hint: `allow it in \`tools\` of role ${step.role}, or bind the role to another agent`,
    run: null,
  });
}
