/** The entry point for bundles that hold their workflow as data only, such as those built from YAML. It is separate
 *  because it loads all of zod, which a bundle written in code does not need from here. */
export type { WorkflowData } from "@uncaged/workflow-protocol";
export { workflowFromData } from "./workflow-from-data.ts";
