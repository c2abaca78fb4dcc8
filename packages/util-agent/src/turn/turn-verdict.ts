/** How a turn ended whose program was run to its end. In which order the signs count is each agent's own. */
import type { AgentOutcome, Failure } from "@uncaged/workflow-protocol";
import type { TurnResult } from "../driver/agent-driver.ts";
import type { CliRun } from "../process/cli-run.ts";

export type TurnVerdict = Pick<TurnResult, "outcome" | "reason" | "sessionLost">;

export function endedTurn(outcome: AgentOutcome, reason: string): TurnVerdict {
  return { outcome, reason, sessionLost: false };
}

/** A fresh session may be tried. */
export function lostSession(reason: string): TurnVerdict {
  return { outcome: "crashed", reason, sessionLost: true };
}

/** Of a program that could not be started, or not be ended. */
export function failedRun({ code, message, hint }: Failure): TurnVerdict {
  const outcome = code === "THREAD_ABORTED" ? "cancelled" : "crashed";
  return endedTurn(outcome, [message, hint].filter(Boolean).join("; "));
}

/** Of a program that was ended because it was silent, or at work, for too long; null: it was not. `words`: the last that
 *  it said. */
export function timedOutTurn(
  { stoppedBy }: Pick<CliRun, "stoppedBy">,
  words: string,
): TurnVerdict | null {
  if (stoppedBy === "idle") return endedTurn("timeout", `it fell silent; ${words}`);
  if (stoppedBy === "total") return endedTurn("timeout", `its time was over; ${words}`);
  return null;
}
