import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type LeadMeta, lead } from "./lead.ts";
import { type MergerMeta, merger } from "./merger.ts";

/** What each role of `fleet` reports. */
export type FleetMeta = { lead: LeadMeta; merger: MergerMeta };

export const fleetRoles: WorkflowDefinition<FleetMeta>["roles"] = { lead, merger };
