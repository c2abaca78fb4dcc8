import type { AgentOutcome, Failure, Result } from "@uncaged/workflow-protocol";
import { type CliRun, faultInWords, lastLines } from "@uncaged/workflow-util-agent";
import type { TurnLog } from "./turn-reader.ts";

export type TurnVerdict = { outcome: AgentOutcome; reason: string; sessionLost: boolean };

/** Why we ended a turn of our own accord. `lingered`: it did not exit after its result. */
export type HaltReason = "other_session" | "lingered";

/** How a turn ended. Its `result` decides; without one, its last words do. */
export function judgeTurn(
  run: Result<CliRun, Failure>,
  about: { log: TurnLog; halted: HaltReason | null; resumed: boolean },
): TurnVerdict {
  const { log, halted, resumed } = about;
  if (!run.ok) {
    const outcome = run.error.code === "THREAD_ABORTED" ? "cancelled" : "crashed";
    return ended(outcome, [run.error.message, run.error.hint].filter(Boolean).join("; "));
  }
  const { stoppedBy, stderr, exitCode } = run.value;
  if (halted === "other_session")
    return lost("Cursor began another chat instead of the one to go on with");
  const words = lastWords(log, stderr.text);
  // What it said before it hung counts; who stopped the thread meanwhile is looked at outside.
  if (log.result?.isError === false) return ended("ok", "");
  // Told to stop because its time is over, it may call that a fault of its own.
  if (stoppedBy === "idle") return ended("timeout", `it fell silent; ${words}`);
  if (stoppedBy === "total") return ended("timeout", `its time was over; ${words}`);
  if (log.result !== null) return ended(faultInWords(words), words);
  if (stoppedBy === "abort") return ended("cancelled", "it was stopped");
  if (resumed && log.session === null && NO_SUCH_CHAT.test(words)) return lost(words);
  return ended(faultInWords(words), `${words} (exit code ${exitCode}, and no result)`);
}

const NO_SUCH_CHAT =
  /\b(?:chat|session|conversation)\b.*\b(?:not found|does not exist|unknown|no longer)\b/i;

function ended(outcome: AgentOutcome, reason: string): TurnVerdict {
  return { outcome, reason, sessionLost: false };
}

function lost(reason: string): TurnVerdict {
  return { outcome: "crashed", reason, sessionLost: true };
}

/** Some versions repeat their events on stderr: these are no words. */
function lastWords({ result, noise }: TurnLog, stderr: string): string {
  if (result?.isError === true && result.text !== "") return result.text;
  const spoken = stderr.split("\n").filter((line) => !line.startsWith("{"));
  const last = lastLines(spoken.join("\n")).trim();
  return last || lastLines(noise.join("\n")) || "it said nothing of why";
}
