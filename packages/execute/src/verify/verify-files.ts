import { existsSync } from "node:fs";
import type { Problem, StepWorkspace } from "@uncaged/workflow-protocol";
import { brokenTrees } from "@uncaged/workflow-workspace";
import { filesHere } from "../worktrees/files-here.ts";

/** The trees that a state names. */
export type RecordedTrees = Pick<
  StepWorkspace,
  "repository" | "before" | "after" | "objectFormat"
> & {
  threadId: string;
  stateHash: string;
};

/** Trees that their repository does not have, or not whole: each object below them is read, and its bytes are checked
 *  against its name. */
export async function verifyFiles(
  root: string,
  files: readonly RecordedTrees[],
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const found: RecordedTrees[] = [];
  for (const [threadId, steps] of Map.groupBy(files, (step) => step.threadId)) {
    const here = await filesHere(root, threadId);
    for (const step of steps) found.push({ ...step, repository: here(step.repository) });
  }
  for (const [repository, steps] of Map.groupBy(found, (step) => step.repository)) {
    const faults = await faultsIn(repository, steps);
    for (const { stateHash, before, after } of steps)
      for (const tree of new Set([before, after])) {
        const message = faults(tree);
        if (message !== null) problems.push({ code: "FILES_MISSING", hash: stateHash, message });
      }
  }
  return problems;
}

async function faultsIn(
  repository: string,
  steps: readonly RecordedTrees[],
): Promise<(tree: string) => string | null> {
  if (!existsSync(repository)) return () => `the repository ${repository} is gone`;
  const trees = steps.flatMap(({ before, after }) => [before, after]);
  const broken = await brokenTrees(repository, trees);
  if (!broken.ok) return () => broken.error.message;
  const reasons = new Map(broken.value.map(({ tree, reason }) => [tree, reason]));
  return (tree) => {
    const reason = reasons.get(tree);
    return reason === undefined ? null : `tree ${tree} in ${repository}: ${reason}`;
  };
}
