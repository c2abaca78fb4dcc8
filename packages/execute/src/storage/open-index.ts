/** The index alone: the whole of its package would bring modules that whoever opens it need not load. */
export { openIndex } from "@uncaged/workflow-store";
