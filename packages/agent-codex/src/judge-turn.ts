import type { Failure, Result } from "@uncaged/workflow-protocol";
import {
  type CliRun,
  endedTurn,
  failedRun,
  faultInWords,
  lastLines,
  lostSession,
  type TurnVerdict,
  timedOutTurn,
} from "@uncaged/workflow-util-agent";
import type { HaltReason, TurnLog } from "./turn-reader.ts";

/** How a turn ended. Codex has no codes for what goes wrong, only sentences; the exit code says nothing more. */
export function judgeTurn(
  run: Result<CliRun, Failure>,
  { log, halted }: { log: TurnLog; halted: HaltReason | null },
): TurnVerdict {
  if (!run.ok) return failedRun(run.error);
  const { stoppedBy, stderr, exitCode } = run.value;
  if (halted === "other_thread") {
    return lostSession("Codex began another session instead of resuming the given one");
  }
  if (halted === "unreachable") {
    return endedTurn("timeout", `it could not reach its model: ${log.fault ?? "no reason given"}`);
  }
  if (stoppedBy === "abort") return endedTurn("cancelled", "it was stopped");
  // A turn that came to its end has an answer, whatever went wrong before or happened after.
  if (log.end !== null) return endedTurn("ok", "");
  const words = lastWords(log, stderr.text);
  const timedOut = timedOutTurn(run.value, words);
  if (timedOut !== null) return timedOut;
  if (NO_SUCH_THREAD.test(stderr.text)) return lostSession(words);
  const exit = exitCode === 0 || exitCode === 1 ? "" : ` (exit code ${exitCode})`;
  return endedTurn(faultInWords(words), words + exit);
}

const NO_SUCH_THREAD = /no rollout found for thread|thread\/resume failed/;

/** What Codex says of its end: the event of it; else the error on stderr, without its stack; else the last lines. */
function lastWords({ fault, noise }: TurnLog, stderr: string): string {
  if (fault !== null) return fault;
  const error = stderr.split("\n").findLast((line) => line.startsWith("Error: "));
  if (error !== undefined) return error;
  const last = lastLines(stderr.trim() === "" ? noise.join("\n") : stderr);
  return last === "" ? "it did not say why" : last;
}
