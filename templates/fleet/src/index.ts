export { fleetWorkflowDefinition } from "./definition.ts";
export { type LeadMeta, lead } from "./lead.ts";
export { type MergerMeta, merger } from "./merger.ts";
export { type FleetMeta, fleetRoles } from "./roles.ts";
export { fleetTable } from "./rules.ts";
