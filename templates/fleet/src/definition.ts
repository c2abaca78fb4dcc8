import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type FleetMeta, fleetRoles } from "./roles.ts";
import { fleetTable } from "./rules.ts";

/** From a large job to what has landed of it. Its result is what the lead reports, and what the queue left. */
export const fleetWorkflowDefinition: WorkflowDefinition<FleetMeta> = {
  description:
    "Divides a job among workers in worktrees, and lands what they did through a merge queue",
  roles: fleetRoles,
  table: fleetTable,
  result:
    '{ "report": byRole.lead.last.meta.report, "landed": [byRole.merger.metas.landed], "left": [byRole.merger.last.meta.left] }',
};
