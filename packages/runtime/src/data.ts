/** The entry point of bundles that hold their workflow as data alone, such as those made of YAML. An entry of its own:
 *  it loads all of zod, which a bundle written in code does not need from here. */
export type { WorkflowData } from "@uncaged/workflow-protocol";
export { workflowFromData } from "./workflow-from-data.ts";
