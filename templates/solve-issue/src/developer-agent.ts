import { type AdapterFn, type ChildOutcome, workflowAsAgent } from "@uncaged/workflow-runtime";
import type { DeveloperMeta } from "./developer.ts";

export type DeveloperAgentOptions = {
  /** Name under which the developing workflow is registered. Default: `develop`. */
  workflow?: string;
};

/** Binding for the role `developer`: runs a registered workflow as a child thread, in the directory
 *  and with the task that the preparer reported. */
export function developerAgent(options: DeveloperAgentOptions = {}): AdapterFn {
  return workflowAsAgent(options.workflow ?? "develop", { toMeta: developerMeta });
}

/** A child that ended well is done only if its last step names a commit: a plan that was
 *  aborted and a commit that was refused end a thread with return code 0 too. */
export function developerMeta(outcome: ChildOutcome): DeveloperMeta {
  const { threadId, returnCode, summary, lastMeta } = outcome;
  const report = { childThread: threadId, summary: summary || `thread ${threadId} ended` };
  const commit = textOf(lastMeta.commit);
  if (returnCode === 0 && commit !== null) {
    return { ...report, status: "done", commit, reason: null };
  }
  return { ...report, status: "failed", commit: null, reason: reasonOf(outcome) };
}

function reasonOf({ returnCode, summary, lastMeta }: ChildOutcome): string {
  if (returnCode !== 0) return summary || `the child thread ended with return code ${returnCode}`;
  return textOf(lastMeta.reason) ?? "the child thread ended without a commit";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
