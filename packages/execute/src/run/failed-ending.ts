import { agentFaultOf, EXIT, type Failure, type StepRun } from "@uncaged/workflow-protocol";
import { stepRunSchema } from "@uncaged/workflow-protocol/schemas";
import type { Ending } from "./finish-thread.ts";

/** How a thread ends when its workflow or a role failed. The summary says what failed, the content why: the whole chain
 *  of causes. The usage of the failed role counts, too. */
export function failedEnding(reason: Failure, cause: unknown): Ending {
  return {
    status: "failed",
    returnCode: EXIT.failure,
    summary: failureText(reason),
    content: causeText(reason, cause),
    route: null,
    run: failedRun(cause),
  };
}

/** The record of the run is as untrusted as its result. */
function failedRun(cause: unknown): StepRun | null {
  const parsed = stepRunSchema.safeParse(agentFaultOf(cause)?.run);
  return parsed.success ? parsed.data : null;
}

/** Whoever looks at the thread later has only this to decide what to do. */
function failureText({ code, message, hint }: Failure): string {
  return hint === "" ? `${code}: ${message}` : `${code}: ${message}\nhint: ${hint}`;
}

function causeText(reason: Failure, cause: unknown): string {
  const lines = [failureText(reason)];
  for (let next = cause; next instanceof Error; next = next.cause)
    lines.push("", next.stack ?? String(next));
  return lines.join("\n");
}
