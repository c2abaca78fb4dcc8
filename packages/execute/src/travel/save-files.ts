/** Sends the files of a step to the remote of its repository, in a root that machines share.
 *
 *  1. The remote is the one that the thread began with: what an agent writes into the repository's configuration later
 *     sends nothing elsewhere.
 *  2. Git that fails costs the step nothing but its way to another machine: it says `pushed: false`, and why in a note. */
import { relative } from "node:path";
import {
  type Failure,
  failureFrom,
  type Machine,
  ok,
  type Result,
  type SavedFiles,
} from "@uncaged/workflow-protocol";
import {
  ignoredNames,
  openUrl,
  originUrl,
  pushSnapshots,
  type Repository,
} from "@uncaged/workflow-workspace";
import { isOwnFiles } from "../worktrees/own-files.ts";

export type Travel = {
  machine: Machine;
  /** URL without password; null: none; left out: no step says, so that the repository is asked. */
  remote?: string | null;
  /** The thread's working directory. */
  cwd: string;
};

/** What is saved, and what a person should know. The snapshot is recorded already. */
export async function saveFiles(
  repository: Repository,
  {
    travel,
    threadId,
    fence,
    commit,
    atMs,
  }: { travel: Travel; threadId: string; fence: number; commit: string; atMs: number },
): Promise<{ saved: SavedFiles; notes: string[] }> {
  const left = await ignoredNames(repository);
  const own = await originUrl(repository);
  const url = remoteOf(travel, own.ok ? own.value : null);
  const sent = url === null ? ok(null) : await sendTo(repository, { url, threadId, fence, atMs });
  const { workTree } = repository;
  const saved: SavedFiles = {
    commit,
    thread: threadId,
    remote: url === null ? null : openUrl(url),
    pushed: sent.ok && sent.value !== null,
    machine: travel.machine,
    ...(isOwnFiles(travel.cwd, { workTree }) ? { place: relative(workTree, travel.cwd) } : {}),
    left: left.ok ? left.value : [],
  };
  return { saved, notes: sent.ok ? [] : [`files not pushed: ${sent.error.message}`] };
}

/** With user and password, if the repository says them of the same URL. */
function remoteOf({ remote }: Travel, own: string | null): string | null {
  if (remote === undefined) return own;
  return own !== null && remote !== null && openUrl(own) === remote ? own : remote;
}

async function sendTo(
  place: Repository,
  to: { url: string; threadId: string; fence: number; atMs: number },
): Promise<Result<string | null, Failure>> {
  try {
    return await pushSnapshots({ place, ...to });
  } catch (thrown) {
    return { ok: false, error: failureFrom(thrown, "GIT_FAILED") };
  }
}
