/** What stands around the data in a bundle that was made of YAML. Persisted bytes: a change makes other bundles. */
export const DATA_BEFORE = `import { workflowFromData } from "@uncaged/workflow-runtime/data";
export const { run, descriptor } = workflowFromData(JSON.parse(`;
export const DATA_AFTER = "));\n";
