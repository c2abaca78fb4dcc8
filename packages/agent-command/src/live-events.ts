import type { AgentOutcome, ErrorCode, Failure, WorkflowRuntime } from "@uncaged/workflow-protocol";
import type { CommandOrder } from "./command-order.ts";

export function emitStart({ emit }: Pick<WorkflowRuntime, "emit">, order: CommandOrder): void {
  emit({ type: "started", agent: order.title, session: null });
}

export function emitEnd({ emit }: Pick<WorkflowRuntime, "emit">, reason: Failure | null): void {
  const outcome = reason === null ? "ok" : outcomeOf(reason.code);
  emit({ type: "end", outcome, reason: reason?.message ?? "" });
}

function outcomeOf(code: ErrorCode): AgentOutcome {
  switch (code) {
    case "AGENT_TIMEOUT":
      return "timeout";
    case "INVALID_OUTPUT":
      return "invalid_output";
    case "THREAD_ABORTED":
      return "cancelled";
    default:
      return "crashed";
  }
}
