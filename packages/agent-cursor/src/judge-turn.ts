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
import type { TurnLog } from "./turn-reader.ts";

/** Why we ended a turn of our own accord. `lingered`: it did not exit after its result. */
export type HaltReason = "other_session" | "lingered";

/** The outcome of a turn. Its `result` decides; without one, its last words do. */
export function judgeTurn(
  run: Result<CliRun, Failure>,
  about: { log: TurnLog; halted: HaltReason | null; resumed: boolean },
): TurnVerdict {
  const { log, halted, resumed } = about;
  if (!run.ok) return failedRun(run.error);
  const { stoppedBy, stderr, exitCode } = run.value;
  if (halted === "other_session")
    return lostSession("Cursor began another chat instead of resuming the given one");
  const words = lastWords(log, stderr.text);
  // What it said before it hung counts; who stopped the thread meanwhile is looked at outside.
  if (log.result?.isError === false) return endedTurn("ok", "");
  // Told to stop because its time is over, it may call that a fault of its own.
  const timedOut = timedOutTurn(run.value, words);
  if (timedOut !== null) return timedOut;
  if (log.result !== null) return endedTurn(faultInWords(words), words);
  if (stoppedBy === "abort") return endedTurn("cancelled", "it was stopped");
  if (resumed && log.session === null && NO_SUCH_CHAT.test(words)) return lostSession(words);
  return endedTurn(faultInWords(words), `${words} (exit code ${exitCode}, and no result)`);
}

const NO_SUCH_CHAT =
  /\b(?:chat|session|conversation)\b.*\b(?:not found|does not exist|unknown|no longer)\b/i;

/** Some versions repeat their events on stderr: these are no words. */
function lastWords({ result, noise }: TurnLog, stderr: string): string {
  if (result?.isError === true && result.text !== "") return result.text;
  const spoken = stderr.split("\n").filter((line) => !line.startsWith("{"));
  const last = lastLines(spoken.join("\n")).trim();
  return last || lastLines(noise.join("\n")) || "it did not say why";
}
