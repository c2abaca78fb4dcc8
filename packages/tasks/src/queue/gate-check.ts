import { ok } from "@uncaged/workflow-protocol";
import {
  type CheckCache,
  folderEvidence,
  memoryEvidence,
  runCheck,
} from "@uncaged/workflow-workspace";
import { treeOf } from "../git/merge-trees.ts";
import type { TaskDesk } from "../task-desk.ts";
import type { TreeCheck } from "./land-tasks.ts";

export type GateCheck = {
  /** For a shell. */
  command: string;
  /** What setups installed, and what was seen. */
  cache: CheckCache;
};

/** The engine's own check on a tree: checked out elsewhere, with an empty home and no network where that can be had, what
 *  it needs installed by the setup as the integration branch has it. One tree is checked once; a red one again by the next
 *  process, because the machine may have been the reason.
 *
 *  A task may change tests and other controls: whoever approved it saw them, so what only a missing approval would
 *  hold up is green. */
export function gateCheck(
  { place, settings }: Pick<TaskDesk, "place" | "settings">,
  { command, cache }: GateCheck,
): TreeCheck {
  const memo = memoryEvidence(folderEvidence(cache.evidence));
  const { setup } = settings;
  const check = {
    command: ["sh", "-c", command],
    canary: "none" as const,
    approver: ["reviewer"],
    ...(setup === null ? {} : { setup }),
  };
  return async ({ tree, base }) => {
    const baseTree = await treeOf(place, base);
    if (!baseTree.ok) return baseTree;
    const { repository } = place;
    const request = { repository, tree, base: baseTree.value, check, memo };
    const seen = await runCheck({ ...request, cache: cache.dependencies });
    if (!seen.ok) return seen;
    const { verdict, faults, clean } = seen.value;
    const why = faults.map(({ message }) => `${message}\n`).join("");
    return ok({ isGreen: verdict !== "failed", output: `${clean.output}\n${why}`.trim() });
  };
}
