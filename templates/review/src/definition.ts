import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type ReviewMeta, reviewRoles } from "./roles.ts";
import { reviewTable } from "./rules.ts";

/** From a change to one report. Its result is what the reporter says: `verdict`, `findings`, `report`. */
export const reviewWorkflowDefinition: WorkflowDefinition<ReviewMeta> = {
  description: "Reviews a change file by file, side by side, and makes one report",
  roles: reviewRoles,
  table: reviewTable,
  result: "byRole.reporter.last.meta",
};
