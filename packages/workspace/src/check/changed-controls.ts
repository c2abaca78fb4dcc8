import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { protectedFiles } from "./protected-files.ts";
import type { Scratch } from "./scratch.ts";
import {
  asAtBase,
  type Change,
  changedPaths,
  LINK_MODE,
  SUBMODULE_MODE,
  treeWith,
} from "./trees.ts";

export type Controls = {
  /** Controls in which the tree differs from the base, sorted. */
  paths: readonly string[];
  /** The tree with those of the base; the tree itself when there are none. */
  restored: string;
  /** New and changed symbolic links of the tree. */
  links: readonly string[];
};

/** A submodule is a control as well: its files are not in the tree, so that nobody checks them. */
export async function changedControls(
  scratch: Scratch,
  { base, tree, protect }: { base: string; tree: string; protect: readonly string[] | undefined },
): Promise<Result<Controls, Failure>> {
  const all = await changedPaths(scratch, { base, tree });
  if (!all.ok) return all;
  if (all.value.length === 0) return ok({ paths: [], restored: tree, links: [] });
  const pathspecs = protectedFiles(protect);
  const fit = await changedPaths(scratch, { base, tree, pathspecs });
  if (!fit.ok) return fit;
  const changes = new Map(
    [...all.value.filter(isSubmodule), ...fit.value].map((change) => [change.path, change]),
  );
  const links = all.value.flatMap(({ path, now }) => (now?.mode === LINK_MODE ? [path] : []));
  const paths = [...changes.keys()].sort();
  if (paths.length === 0) return ok({ paths, restored: tree, links });
  const entries = [...changes.values()].map((change) => asAtBase(change, tree));
  const restored = await treeWith(scratch, { tree, changes: entries });
  return restored.ok ? ok({ paths, restored: restored.value, links }) : restored;
}

function isSubmodule({ base, now }: Change): boolean {
  return [base, now].some((entry) => entry?.mode === SUBMODULE_MODE);
}
