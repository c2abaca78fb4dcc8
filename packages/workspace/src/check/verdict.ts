import type { CheckEvidence, CheckFault, CheckRule, CheckRun } from "@uncaged/workflow-protocol";
import { someOf } from "./run-on.ts";

export type SeenRuns = {
  rule: CheckRule;
  /** Controls in which the tree differs from the base. */
  controls: readonly string[];
  /** Null: no control changed, or the clean run failed. */
  controlled: { run: CheckRun; faults: readonly CheckFault[] } | null;
  /** Of the clean run and the canary. */
  faults: readonly CheckFault[];
};

/** With an approver, every change of a control waits for one. Without, the command has to succeed with those of the
 *  base as well. */
export function verdictOf(seen: SeenRuns): Pick<CheckEvidence, "verdict" | "faults"> {
  const faults = [...seen.faults, ...controlFaults(seen)];
  const isOpen = faults.every(({ kind }) => kind === "controls_changed");
  return { faults, verdict: faults.length === 0 ? "passed" : isOpen ? "unapproved" : "failed" };
}

function controlFaults({ rule, controls, controlled }: SeenRuns): CheckFault[] {
  if (controlled === null) return [];
  const { approver = [], command } = rule;
  const who = approver.length === 0 ? "" : `; ${approver.join(" or ")} has to approve the change`;
  const changed = `files that decide what is checked were changed: ${someOf(controls)}`;
  const message =
    controlled.faults.length > 0
      ? `${changed}; with those of the base, ${command.join(" ")} does not succeed${who}`
      : `${changed}${who}`;
  if (controlled.faults.length === 0 && approver.length === 0) return [];
  return [{ kind: "controls_changed", message }];
}
