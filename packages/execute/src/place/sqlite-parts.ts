/** Only the index: its whole package would load modules that opening it does not need. */
export { openIndex, openSchedules, openTasks, openTriggers } from "@uncaged/workflow-store";
