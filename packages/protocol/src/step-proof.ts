/** What is known after a step of the files that the thread's last check saw. */
export type StepProof = {
  /** `valid`: they passed, or their changed controls were approved, and they are as they were then. `unapproved`: they
   *  passed but for controls that were changed, and no approver has approved that. `stale`: they are others now. */
  state: "valid" | "unapproved" | "stale";
  /** Id of the git tree that was checked. */
  tree: string;
  /** The step that left it, from 1. */
  round: number;
};

export const PROOF_STATES: readonly StepProof["state"][] = ["valid", "unapproved", "stale"];

/** Whether the meta of an approver's step approves: `approved: true`, or `status: "approved"`. */
export function approves(meta: { readonly [field: string]: unknown }): boolean {
  return meta.approved === true || meta.status === "approved";
}
