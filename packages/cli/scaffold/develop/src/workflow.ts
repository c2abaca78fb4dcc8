/** What the bundle exports: exactly `run` and `descriptor`. */
import { buildDescriptor, createWorkflow } from "@uncaged/workflow-runtime";
import { developCheckedBy } from "@uncaged/workflow-template-develop";
import { agent, tester } from "./agents.ts";

/** A coder's step counts once the files that it left have passed `npm test`, run by the engine itself in a checkout of its
 *  own, and not because the coder says so. For a repository without tests, or without git, take
 *  `developUncheckedDefinition`. */
const definition = developCheckedBy({ command: ["npm", "test"], setup: ["npm", "install"] });

export const run = createWorkflow(definition, { adapter: agent, overrides: { tester } });
export const descriptor = buildDescriptor(definition);
