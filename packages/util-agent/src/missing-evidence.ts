/** What of a role's required evidence was not seen yet.
 *
 *  1. Only calls that the engine saw count, in the order in which they ended.
 *  2. A call fits when it succeeded and its subject matches; of `execute`, only an exit code of 0 that the
 *     agent reported is success.
 *  3. `after: "last_edit"`: an edit, delete or move that succeeded takes back what was seen before it.
 *  4. It remembers one word per requirement, however many calls come. */
import type { EvidenceRequirement, ToolCallRecord } from "@uncaged/workflow-protocol";
import { matchesPattern } from "./linear-pattern.ts";

/** What a requirement looks at. */
export type SeenCall = Pick<ToolCallRecord, "kind" | "subject" | "ok" | "exitCode">;

export type MissingEvidence = {
  requirement: EvidenceRequirement;
  /** The nearest to it that was seen: `it exited 1`. */
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
  /** Gives whether a requirement was met by this call. */
  note(call: SeenCall): boolean;
  missing(): MissingEvidence[];
};

/** The same, told of each call as it ends. */
export function evidenceTally(requirements: readonly EvidenceRequirement[]): EvidenceTally {
  const states = requirements.map((requirement) => ({
    requirement,
    met: false,
    seen: "no such call was seen",
  }));
  return {
    note(call) {
      let useful = false;
      for (const state of states) {
        const { requirement } = state;
        if (requirement.after === "last_edit" && changesFiles(call) && state.met) {
          state.met = false;
          state.seen = "it was seen before the last edit, not after it";
        }
        if (call.kind !== requirement.kind) continue;
        if (matchesPattern(requirement.input, call.subject) !== true) continue;
        const fault = faultOf(call);
        // Tests that fail after they passed are tests that fail.
        state.met = fault === null;
        state.seen = fault ?? "";
        useful ||= state.met;
      }
      return useful;
    },
    missing: () =>
      states.filter(({ met }) => !met).map(({ requirement, seen }) => ({ requirement, seen })),
  };
}

function changesFiles({ kind, ok }: SeenCall): boolean {
  return ok && (kind === "edit" || kind === "delete" || kind === "move");
}

/** Why a call does not count; null: it does. */
function faultOf({ kind, ok, exitCode }: SeenCall): string | null {
  if (kind === "execute" && exitCode === null) return "its exit code was not reported";
  if (exitCode !== null && exitCode !== 0) return `it exited ${exitCode}`;
  return ok ? null : "it failed";
}

/** A requirement in words, for the agent and for a person. */
export function evidenceWords({ requirement, seen }: MissingEvidence): string {
  const after = requirement.after === undefined ? "" : ", after the last edit";
  return `${requirement.name}: a successful call of kind ${requirement.kind} matching /${requirement.input}/${after} (${seen})`;
}
