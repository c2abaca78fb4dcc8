/** Only the index: its whole package would load modules that opening it does not need. */
export { openIndex } from "@uncaged/workflow-store";
