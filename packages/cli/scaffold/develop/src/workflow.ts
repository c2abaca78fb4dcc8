/** What the bundle exports: exactly `run` and `descriptor`. */
import { buildDescriptor, createWorkflow } from "@uncaged/workflow-runtime";
import { developDefinition } from "@uncaged/workflow-template-develop";
import { agent, tester } from "./agents.ts";

export const run = createWorkflow(developDefinition, { adapter: agent, overrides: { tester } });
export const descriptor = buildDescriptor(developDefinition);
