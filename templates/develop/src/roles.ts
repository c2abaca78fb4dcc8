import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type CoderMeta, coder } from "./coder.ts";
import { type CommitterMeta, committer } from "./committer.ts";
import { type PlannerMeta, planner } from "./planner.ts";
import { type ReviewerMeta, reviewer } from "./reviewer.ts";
import { type TesterMeta, tester } from "./tester.ts";

/** What each role of `develop` reports. */
export type DevelopMeta = {
  planner: PlannerMeta;
  coder: CoderMeta;
  reviewer: ReviewerMeta;
  tester: TesterMeta;
  committer: CommitterMeta;
};

export const developRoles: WorkflowDefinition<DevelopMeta>["roles"] = {
  planner,
  coder,
  reviewer,
  tester,
  committer,
};
