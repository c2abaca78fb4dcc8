export {
  solveIssueWorkflowDefinition,
  /** The name before the first release. */
  solveIssueWorkflowDefinition as solveIssueDefinition,
} from "./definition.ts";
export { type DeveloperMeta, developer } from "./developer.ts";
export { type DeveloperAgentOptions, developerAgent } from "./developer-agent.ts";
export { type PreparerMeta, preparer } from "./preparer.ts";
export { type SolveIssueMeta, solveIssueRoles } from "./roles.ts";
export { solveIssueTable } from "./rules.ts";
export { type SubmitterMeta, submitter } from "./submitter.ts";
