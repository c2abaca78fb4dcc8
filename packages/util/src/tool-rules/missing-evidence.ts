/** Which of a role's required evidence has not been seen yet.
 *
 *  1. Only calls that the engine saw count, in the order in which they ended.
 *  2. A call matches when it succeeded and its subject matches. For `execute`, only a reported exit code of 0 is
 *     success, and only where it is certain whose exit code it is and where the command ran.
 *  3. `after: "last_edit"`: anything that may have changed the step's files since the call began invalidates it: an
 *     edit, delete or move, an unknown tool, a command that is not known to leave files alone.
 *  4. It remembers one word per requirement, however many calls come. */
import type { EvidenceRequirement, ToolCallRecord } from "@uncaged/workflow-protocol";
import { fitOfCommand, leavesFiles } from "./command-evidence.ts";
import { lineOfWords } from "./command-forms.ts";
import { matchesPattern } from "./linear-pattern.ts";

/** What a requirement looks at. */
export type SeenCall = Pick<ToolCallRecord, "kind" | "subject" | "ok" | "exitCode"> &
  Partial<Pick<ToolCallRecord, "place" | "refused" | "timestamp" | "durationMs">>;

export type MissingEvidence = {
  requirement: EvidenceRequirement;
  /** The closest call that was seen: `it exited 1`. */
  seen: string;
};

export function missingEvidence(
  requirements: readonly EvidenceRequirement[],
  calls: readonly SeenCall[],
): MissingEvidence[] {
  const tally = evidenceTally(requirements);
  for (const call of calls) tally.note(call);
  return tally.missing();
}

export type EvidenceTally = {
  /** Returns whether this call met a requirement. */
  note(call: SeenCall): boolean;
  missing(): MissingEvidence[];
};

/** The same, fed with each call as it ends. */
export function evidenceTally(requirements: readonly EvidenceRequirement[]): EvidenceTally {
  const states = requirements.map((requirement) => ({
    requirement,
    met: false,
    seen: "no such call was seen",
  }));
  let lastChangeMs = Number.NEGATIVE_INFINITY;
  return {
    note(call) {
      if (call.refused === true) return false;
      const fits = states.map(({ requirement }) => fitOf(requirement, call));
      // A required command does not invalidate the evidence of the others.
      const asked = call.kind === "execute" && fits.includes(true);
      const changed = asked ? null : changeBy(call);
      let useful = false;
      for (const [at, state] of states.entries()) {
        const { requirement } = state;
        if (requirement.after === "last_edit" && changed !== null && state.met) {
          state.met = false;
          state.seen = changed;
        }
        const fit = fits[at] ?? false;
        if (fit === false) continue;
        if (fit !== true) {
          if (!state.met) state.seen = fit.why;
          continue;
        }
        const during = requirement.after === "last_edit" && ranDuring(call, lastChangeMs);
        const fault = faultOf(call) ?? (during ? DURING : null);
        // Tests that fail after they passed are failing tests.
        state.met = fault === null;
        state.seen = fault ?? "";
        useful ||= state.met;
      }
      if (changed !== null) lastChangeMs = Math.max(lastChangeMs, call.timestamp ?? lastChangeMs);
      return useful;
    },
    missing: () =>
      states.filter(({ met }) => !met).map(({ requirement, seen }) => ({ requirement, seen })),
  };
}

const DURING = "files were changed while it ran: run it again, alone";

/** Whether the call is the required one; `why`: it may be, but it is not certain. */
function fitOf(requirement: EvidenceRequirement, call: SeenCall): boolean | { why: string } {
  if (call.kind !== requirement.kind) return false;
  if (call.kind === "execute") return fitOfCommand(requirement, call.subject);
  return (
    requirement.input !== undefined && matchesPattern(requirement.input, call.subject) === true
  );
}

/** How a call may have changed the step's files, in words; null: it did not. */
function changeBy({ kind, subject, ok, place }: SeenCall): string | null {
  if (kind === "execute") return leavesFiles(subject) ? null : AFTER_COMMAND;
  if (!ok || place === "elsewhere") return null;
  if (kind === "edit" || kind === "delete" || kind === "move") return AFTER_EDIT;
  return kind === "other" ? AFTER_OTHER : null;
}

const AFTER_EDIT = "it was seen before the last edit, not after it";
const AFTER_COMMAND = "after it, a command ran that may have changed files: run it again, last";
const AFTER_OTHER = "after it, a tool was used that may have changed files: run it again, last";

function ranDuring({ timestamp, durationMs }: SeenCall, changeMs: number): boolean {
  if (timestamp === undefined || durationMs == null) return false;
  return timestamp - durationMs < changeMs && changeMs < timestamp;
}

/** Why a call does not count; null: it counts. */
function faultOf({ kind, ok, exitCode, place }: SeenCall): string | null {
  if (kind === "execute" && exitCode === null) return "its exit code was not reported";
  if (exitCode !== null && exitCode !== 0) return `it exited ${exitCode}`;
  if (!ok) return "it failed";
  if (kind !== "execute") return null;
  if (place === "elsewhere") return "it ran in another directory than the step's";
  if (place === "unknown") {
    return "it is not certain where it ran, because an earlier command may have changed its shell: run it with `cd <the step's directory> && ` before it, in a new shell";
  }
  return null;
}

/** A requirement in words, for the agent and for a person. */
export function evidenceWords({ requirement, seen }: MissingEvidence): string {
  return `${requirementWords(requirement)} (${seen})`;
}

export function requirementWords({
  name,
  kind,
  input,
  command,
  after,
}: EvidenceRequirement): string {
  const what =
    command === undefined
      ? `matching /${input ?? ""}/`
      : `that is the command \`${lineOfWords(command)}\``;
  return `${name}: a successful call of kind ${kind} ${what}${after === undefined ? "" : ", after the last edit"}`;
}
