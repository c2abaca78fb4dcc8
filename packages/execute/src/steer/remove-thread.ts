/** Removes a thread.
 *
 *  Order of effects: end what still runs for it, so that nobody writes for it afterwards; take back its worktrees, of
 *  which those stay that have what is recorded nowhere; remove it from the store,
 *  whose history records that; delete its logs; let go of the files of its steps. A crash in between leaves log files of
 *  an unknown thread, or files that git keeps. The history
 *  line about its end stays; its nodes stay until gc, because other threads may share them. */
import { rm } from "node:fs/promises";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  leaseOf,
  ok,
  type Result,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { isShared, storagePaths } from "@uncaged/workflow-util";
import { dropRemoteSnapshots, dropSnapshots } from "@uncaged/workflow-workspace";
import { endProcesses } from "../processes/end-processes.ts";
import type { ProcessLook } from "../processes/process-look.ts";
import type { Engine } from "../storage/engine.ts";
import { type RemoteFiles, remoteFiles } from "../travel/remote-files.ts";
import { observedStatus } from "../watch/observe.ts";
import { dropImported } from "../worktrees/files-here.ts";
import { repositoriesOf } from "../worktrees/repositories.ts";
import { takeBackWorktrees } from "../worktrees/take-back.ts";
import { forgetWorktree } from "../worktrees/worktree-record.ts";

export async function removeThread(
  engine: Engine,
  thread: ThreadRecord,
  look: ProcessLook,
): Promise<Result<null, Failure>> {
  const { threadId } = thread;
  const lease = leaseOf(thread);
  if (lease !== null && observedStatus(thread, engine.now()).status === "running") {
    return err(
      failure(
        "LEASE_HELD",
        `thread ${threadId} is run by process ${lease.process.pid}`,
        `stop it first: uncaged-workflow thread stop ${threadId}`,
      ),
    );
  }
  if (look.mayHaveProcesses(thread))
    await endProcesses(engine.store, threadId, { spare: null, over: lease });
  const repositories = await repositoriesWithFiles(engine, thread);
  const remote = await remoteWithFiles(engine, thread);
  await removeWorktrees(engine, thread);
  try {
    const replaces = lease?.fence ?? null;
    await engine.store.remove({ threadId, replaces, nowMs: engine.now() });
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
  const paths = storagePaths(engine.root);
  await engine.live.remove(threadId);
  for (const path of paths.threadLogs(threadId)) await rm(path, { force: true });
  await rm(paths.agentHomes(threadId), { recursive: true, force: true });
  // Git that fails leaves a reference: it costs space, and no thread.
  for (const repository of repositories) await dropSnapshots(repository, threadId);
  if (remote !== null) await dropRemoteSnapshots(remote.place, { threadId, url: remote.url });
  await dropImported(engine.root, threadId);
  return ok(null);
}

/** A worktree that stays is listed by `workspace list`, with what it has. */
async function removeWorktrees(engine: Engine, thread: ThreadRecord): Promise<void> {
  try {
    for (const { worktree, result } of await takeBackWorktrees(engine, thread))
      if (result.ok) await forgetWorktree(engine.root, worktree);
  } catch (thrown) {
    if (!(thrown instanceof WorkflowError)) throw thrown;
  }
}

/** null: no remote has files of it, or the chain cannot be read. */
async function remoteWithFiles(
  { root, cas }: Engine,
  thread: ThreadRecord,
): Promise<RemoteFiles | null> {
  if (!isShared(root)) return null;
  try {
    return await remoteFiles(cas, root, thread);
  } catch (thrown) {
    if (thrown instanceof WorkflowError) return null;
    throw thrown;
  }
}

/** None where the chain cannot be read: a damaged thread can be removed, too. */
async function repositoriesWithFiles(engine: Engine, thread: ThreadRecord): Promise<string[]> {
  try {
    return await repositoriesOf(engine, thread);
  } catch (thrown) {
    if (thrown instanceof WorkflowError) return [];
    throw thrown;
  }
}
