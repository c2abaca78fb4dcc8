import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";

/** What is wrong, or worth a look, with a workflow whatever the threads. */
export type Finding = {
  /** A fault is wrong; a warning is allowed and may be a mistake. */
  level: "fault" | "warning";
  /** `table.coder[1]`, `table.coder[1].when`, `roles.coder` or `result`. */
  place: string;
  message: string;
  /** The field that it is about, as it is written there: `last.meta.stats`. */
  field?: string;
};

/** Lent by the caller: what is known of tables stands above this package. */
export type Judge = (descriptor: WorkflowDescriptor) => readonly Finding[];

/** For people, one line each. */
export function notesOf(findings: readonly Finding[]): string[] {
  return findings.map(({ place, message }) => `${place}: ${message}`);
}
