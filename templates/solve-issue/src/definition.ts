import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type SolveIssueMeta, solveIssueRoles } from "./roles.ts";
import { solveIssueTable } from "./rules.ts";

/** From an issue to a pull request; the change itself is made in a child thread. */
export const solveIssueWorkflowDefinition: WorkflowDefinition<SolveIssueMeta> = {
  description: "Prepares an issue, develops the change in a child thread, opens a pull request",
  workspace: "exclusive",
  roles: solveIssueRoles,
  table: solveIssueTable,
};
