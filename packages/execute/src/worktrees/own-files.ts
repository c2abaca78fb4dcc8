import { relative } from "node:path";
import type { StepWorkspace } from "@uncaged/workflow-protocol";

/** Whether a step worked in the work tree that a thread works in: not as a member of a group in a worktree of its own. */
export function isOwnFiles(cwd: string, { workTree }: Pick<StepWorkspace, "workTree">): boolean {
  const place = relative(workTree, cwd);
  return place === "" || !(place === ".." || place.startsWith("../"));
}

/** Of the steps in order, the last one that worked there; null: none did. */
export function lastOwnFiles(
  cwd: string,
  workspaces: readonly (StepWorkspace | undefined)[],
): { round: number; workspace: StepWorkspace } | null {
  const at = workspaces.findLastIndex((each) => each !== undefined && isOwnFiles(cwd, each));
  const workspace = workspaces[at];
  return workspace === undefined ? null : { round: at + 1, workspace };
}
