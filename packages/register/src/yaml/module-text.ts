/** The text around the data in a bundle made from YAML. Persisted bytes: a change here creates different bundles. */
export const DATA_BEFORE = `import { workflowFromData } from "@uncaged/workflow-runtime/data";
export const { run, descriptor } = workflowFromData(JSON.parse(`;
export const DATA_AFTER = "));\n";
