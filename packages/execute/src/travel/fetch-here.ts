/** Gets the snapshots of a thread that were pushed by another machine. */
import { existsSync } from "node:fs";
import {
  err,
  type Failure,
  ok,
  type Result,
  type SavedFiles,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { isShared } from "@uncaged/workflow-util";
import { fetchSnapshots, type ObjectFormat } from "@uncaged/workflow-workspace";
import { type Chain, loadChain, roleStates } from "../chain/chain.ts";
import type { NodeReader } from "../chain/read-node.ts";
import { placeFiles, placesOf } from "../worktrees/files-here.ts";
import { type ThreadWorktree, worktreeOf } from "../worktrees/worktree-record.ts";
import { thisMachine } from "./machine.ts";
import { cloneOf } from "./remote-files.ts";
import { elsewhere } from "./saved-files.ts";

type Fetching = {
  threadId: string;
  /** The worktree that it had here; null: none. */
  former: ThreadWorktree | null;
  saved: SavedFiles;
  objectFormat: ObjectFormat;
  chain: Chain;
};

/** Into the repository that the thread has here already, else into ours for its remote. Returns its git folder. */
export async function fetchHere(
  root: string,
  { threadId, chain, ...from }: Fetching,
): Promise<Result<string, Failure>> {
  const gitDir = await repositoryFor(root, from);
  if (!gitDir.ok) return gitDir;
  const { saved, objectFormat } = from;
  const fetched = await fetchSnapshots({
    place: { commonDir: gitDir.value, objectFormat },
    ...{ threadId, from: saved.thread, url: saved.remote ?? "", commit: saved.commit },
  });
  if (!fetched.ok) return fetched;
  await noteRepository(root, threadId, { chain, gitDir: gitDir.value });
  return gitDir;
}

/** For who wants to read what steps did to files: those of other machines are fetched. What cannot be fetched is missing,
 *  as `verify` then says. */
export async function fetchToRead(
  { cas, root }: { cas: NodeReader; root: string },
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head">,
): Promise<void> {
  if (!isShared(root)) return;
  try {
    const chain = await loadChain(cas, thread);
    const files = roleStates(chain).findLast(({ node }) => node.payload.workspace?.saved?.pushed);
    const { saved, objectFormat } = files?.node.payload.workspace ?? {};
    if (saved === undefined || objectFormat === undefined) return;
    if (saved.machine.id === (await thisMachine(root)).id) return;
    const { threadId } = thread;
    const former = await worktreeOf(root, { threadId, member: null });
    await fetchHere(root, { threadId, former, saved, objectFormat, chain });
  } catch (thrown) {
    // A damaged chain is for others to report.
    if (!(thrown instanceof WorkflowError)) throw thrown;
  }
}

/** The repository that the thread has here already; else ours for its remote. */
async function repositoryFor(
  root: string,
  { former, saved, objectFormat }: Omit<Fetching, "threadId" | "chain">,
): Promise<Result<string, Failure>> {
  if (former !== null && existsSync(former.repository)) return ok(former.repository);
  if (saved.remote === null) return err(elsewhere(saved.thread, saved));
  return cloneOf(root, { url: saved.remote, objectFormat });
}

/** The repositories that steps of other machines name are here, for `show`, `verify` and the like. */
async function noteRepository(
  root: string,
  threadId: string,
  { chain, gitDir }: { chain: Chain; gitDir: string },
): Promise<void> {
  const named = roleStates(chain).flatMap(({ node }) => node.payload.workspace?.repository ?? []);
  const places = await placesOf(root, threadId);
  for (const repository of named) if (repository !== gitDir) places.set(repository, gitDir);
  await placeFiles(root, threadId, places);
}
