import type { WorkflowDefinition } from "@uncaged/workflow-runtime";
import { type DevelopMeta, developRoles } from "./roles.ts";
import { developTable } from "./rules.ts";

/** From a task to a reviewed, tested commit on the current branch of the working directory. */
export const developDefinition: WorkflowDefinition<DevelopMeta> = {
  description: "Plans a task in phases, codes them one by one, reviews, tests and commits",
  roles: developRoles,
  table: developTable,
};
