export { reviewWorkflowDefinition } from "./definition.ts";
export { type PlannerMeta, planner } from "./planner.ts";
export { type ReporterMeta, reporter } from "./reporter.ts";
export { type ReviewerMeta, reviewer } from "./reviewer.ts";
export { type ReviewMeta, reviewRoles } from "./roles.ts";
export { reviewTable } from "./rules.ts";
