import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";

/** A descriptor's file content: keys in the order of the type, so that equal descriptors of one build have equal
 *  bytes. */
export function descriptorText(descriptor: WorkflowDescriptor): string {
  return `${JSON.stringify(descriptor, null, 2)}\n`;
}
