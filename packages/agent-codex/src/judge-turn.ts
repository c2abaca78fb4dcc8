import type { AgentOutcome, Failure, Result } from "@uncaged/workflow-protocol";
import { type CliRun, faultInWords, lastLines } from "@uncaged/workflow-util-agent";
import type { HaltReason, TurnLog } from "./turn-reader.ts";

export type TurnVerdict = { outcome: AgentOutcome; reason: string; sessionLost: boolean };

/** How a turn ended. Codex has no codes for what goes wrong, only sentences; the exit code says nothing more. */
export function judgeTurn(
  run: Result<CliRun, Failure>,
  { log, halted }: { log: TurnLog; halted: HaltReason | null },
): TurnVerdict {
  if (!run.ok) {
    const outcome = run.error.code === "THREAD_ABORTED" ? "cancelled" : "crashed";
    return ended(outcome, [run.error.message, run.error.hint].filter(Boolean).join("; "));
  }
  const { stoppedBy, stderr, exitCode } = run.value;
  if (halted === "other_thread") {
    return lost("Codex began another session instead of the one to go on with");
  }
  if (halted === "unreachable") {
    return ended("timeout", `it could not reach its model: ${log.fault ?? "no reason given"}`);
  }
  if (stoppedBy === "abort") return ended("cancelled", "it was stopped");
  // A turn that came to its end has an answer, whatever went wrong before or happened after.
  if (log.end !== null) return ended("ok", "");
  const words = lastWords(log, stderr.text);
  if (stoppedBy === "idle") return ended("timeout", `it fell silent; ${words}`);
  if (stoppedBy === "total") return ended("timeout", `its time was over; ${words}`);
  if (NO_SUCH_THREAD.test(stderr.text)) return lost(words);
  const exit = exitCode === 0 || exitCode === 1 ? "" : ` (exit code ${exitCode})`;
  return ended(faultInWords(words), words + exit);
}

const NO_SUCH_THREAD = /no rollout found for thread|thread\/resume failed/;

function ended(outcome: AgentOutcome, reason: string): TurnVerdict {
  return { outcome, reason, sessionLost: false };
}

function lost(reason: string): TurnVerdict {
  return { outcome: "crashed", reason, sessionLost: true };
}

/** What Codex says of its end: the event of it; else the error on stderr, without its stack; else the last lines. */
function lastWords({ fault, noise }: TurnLog, stderr: string): string {
  if (fault !== null) return fault;
  const error = stderr.split("\n").findLast((line) => line.startsWith("Error: "));
  if (error !== undefined) return error;
  const last = lastLines(stderr.trim() === "" ? noise.join("\n") : stderr);
  return last === "" ? "it said nothing of why" : last;
}
