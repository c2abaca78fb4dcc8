import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type PlannerMeta, planner } from "./planner.ts";
import { type ReporterMeta, reporter } from "./reporter.ts";
import { type ReviewerMeta, reviewer } from "./reviewer.ts";

/** What each role of `review` reports. */
export type ReviewMeta = {
  planner: PlannerMeta;
  reviewer: ReviewerMeta;
  reporter: ReporterMeta;
};

export const reviewRoles: WorkflowDefinition<ReviewMeta>["roles"] = { planner, reviewer, reporter };
