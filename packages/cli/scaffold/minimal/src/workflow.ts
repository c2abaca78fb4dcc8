/** What the bundle exports: exactly `run` and `descriptor`. */
import { buildDescriptor, createWorkflow } from "@uncaged/workflow-runtime";
import { editor, writer } from "./agents.ts";
import { definition } from "./definition.ts";

export const run = createWorkflow(definition, { adapter: writer, overrides: { editor } });
export const descriptor = buildDescriptor(definition);
