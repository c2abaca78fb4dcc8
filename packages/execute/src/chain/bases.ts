import type { StepWorkspace } from "@uncaged/workflow-protocol";
import type { Chain } from "./chain.ts";

/** The files from before the thread's first role in each work tree: no role of the thread can have changed them. */
export type Bases = Map<string, string>;

export function basesOf({ states }: Pick<Chain, "states">): Bases {
  const bases: Bases = new Map();
  for (const { node } of states)
    if (node.payload.workspace !== undefined) checkedAgainst(bases, node.payload.workspace);
  return bases;
}

/** What a role left, and what it is compared with. The first role in a work tree makes its base. */
export function checkedAgainst(
  bases: Bases,
  { workTree, before, after }: Pick<StepWorkspace, "workTree" | "before" | "after">,
): { tree: string; base: string } {
  const base = bases.get(workTree) ?? before;
  bases.set(workTree, base);
  return { tree: after, base };
}
