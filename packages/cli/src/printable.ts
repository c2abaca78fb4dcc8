export { printable, printableLine } from "@uncaged/workflow-util";
