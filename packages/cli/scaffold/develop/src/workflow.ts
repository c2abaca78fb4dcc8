/** What the bundle exports: exactly `run` and `descriptor`. */
import { buildDescriptor, createWorkflow } from "@uncaged/workflow-runtime";
import { developProvenBy } from "@uncaged/workflow-template-develop";
import { agent, tester } from "./agents.ts";

/** A coder's step counts once `npm test` exited 0 after its last edit, and not because it says so. */
const definition = developProvenBy({ tests: "^npm test$" });

export const run = createWorkflow(definition, { adapter: agent, overrides: { tester } });
export const descriptor = buildDescriptor(definition);
