/** Compares the files that two threads left, each in its own work tree. */
import type { StepWorkspace, ThreadRecord } from "@uncaged/workflow-protocol";
import { changedFiles, type FileChange } from "@uncaged/workflow-workspace";
import type { ChainState } from "../chain/chain.ts";
import { filesHere } from "../worktrees/files-here.ts";
import { lastOwnFiles } from "../worktrees/own-files.ts";

/** The tree that the last step left that worked in the thread's own work tree. */
type LastFiles = { round: number; tree: string };

export type FilesDiff = {
  a: LastFiles;
  b: LastFiles;
  /** From `a` to `b`, by path; null: they cannot be compared, and `fault` says why. */
  changes: FileChange[] | null;
  fault: string | null;
};

type Side = { thread: ThreadRecord; states: readonly ChainState[] };

/** null: of one of them no step has a record of its files. */
export async function diffFiles(root: string, a: Side, b: Side): Promise<FilesDiff | null> {
  const [ofA, ofB] = [lastOf(a), lastOf(b)];
  if (ofA === null || ofB === null) return null;
  const ends = { a: endOf(ofA), b: endOf(ofB) };
  if (ofA.workspace.after === ofB.workspace.after) return { ...ends, changes: [], fault: null };
  const [gitDir, other] = [await placeOf(root, a, ofA), await placeOf(root, b, ofB)];
  const trees = { before: ofA.workspace.after, after: ofB.workspace.after };
  const compared = await changedFiles(gitDir, { ...trees, also: other });
  return compared.ok
    ? { ...ends, changes: compared.value, fault: null }
    : { ...ends, changes: null, fault: compared.error.message };
}

type Last = { round: number; workspace: StepWorkspace };

function lastOf({ thread, states }: Side): Last | null {
  return lastOwnFiles(
    thread.cwd,
    states.map(({ node }) => node.payload.workspace),
  );
}

const endOf = ({ round, workspace }: Last): LastFiles => ({ round, tree: workspace.after });

async function placeOf(root: string, { thread }: Side, { workspace }: Last): Promise<string> {
  return (await filesHere(root, thread.threadId))(workspace.repository);
}
