export { type CoderMeta, coder } from "./coder.ts";
export { type CommitterMeta, committer } from "./committer.ts";
export {
  developCheckedBy,
  developProvenBy,
  developUncheckedDefinition,
  developWorkflowDefinition,
  /** The name before the first release. */
  developWorkflowDefinition as developDefinition,
} from "./definition.ts";
export { withParallelReviews } from "./parallel-reviews.ts";
export { type PlannerMeta, planner } from "./planner.ts";
export { type ReviewerMeta, reviewer } from "./reviewer.ts";
export { type DevelopMeta, developRoles } from "./roles.ts";
export { developTable } from "./rules.ts";
export { type TesterMeta, tester } from "./tester.ts";
