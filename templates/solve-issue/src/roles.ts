import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type DeveloperMeta, developer } from "./developer.ts";
import { type PreparerMeta, preparer } from "./preparer.ts";
import { type SubmitterMeta, submitter } from "./submitter.ts";

/** What each role of `solve-issue` reports. */
export type SolveIssueMeta = {
  preparer: PreparerMeta;
  developer: DeveloperMeta;
  submitter: SubmitterMeta;
};

export const solveIssueRoles: WorkflowDefinition<SolveIssueMeta>["roles"] = {
  preparer,
  developer,
  submitter,
};
