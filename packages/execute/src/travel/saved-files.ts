/** Where the files of a thread are, among the machines that share its root: as its chain says. */

import { existsSync } from "node:fs";
import {
  err,
  type Failure,
  failure,
  type Machine,
  ok,
  type Result,
  type SavedFiles,
  type StartFiles,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { isShared } from "@uncaged/workflow-util";
import { type NodeReader, readNode } from "../chain/read-node.ts";
import { walkChain } from "../chain/walk-chain.ts";
import { thisMachine } from "./machine.ts";

/** The thread's own files after its last step that has any; those that it began with before that. */
export type LastFiles = {
  saved: SavedFiles;
  tree: string;
  head: string | null;
  objectFormat: StartFiles["objectFormat"];
  /** Git folder that the step names; null: no step has worked there yet. */
  repository: string | null;
  /** Work tree that the step names; null: no step has worked there yet. */
  workTree: string | null;
};

/** null: nothing of it travels. */
export async function lastFiles(
  cas: NodeReader,
  at: { startHash: string; head: string },
): Promise<LastFiles | null> {
  for await (const { node } of walkChain(cas, at)) {
    const { workspace } = node.payload;
    const saved = workspace?.saved;
    if (workspace === undefined || saved?.place === undefined) continue;
    const { after: tree, head, objectFormat, repository, workTree } = workspace;
    return { saved, tree, head, objectFormat, repository, workTree };
  }
  const { files } = (await readNode(cas, at.startHash, "start")).payload;
  if (files === undefined) return null;
  const { tree, head, objectFormat } = files;
  return { saved: files, tree, head, objectFormat, repository: null, workTree: null };
}

/** `WORKSPACE_ELSEWHERE`: the files are on another machine only. */
export async function mayComeHere(
  { cas, root }: { cas: NodeReader; root: string },
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head" | "cwd" | "forkedFrom">,
): Promise<Result<LastFiles | null, Failure>> {
  if (!isShared(root)) return ok(null);
  const here = await thisMachine(root);
  const bound = await boundTo(cas, thread);
  if (bound !== null && bound.id !== here.id) return err(taskElsewhere(thread, bound));
  const last = await lastFiles(cas, thread);
  if (last === null) return existsSync(thread.cwd) ? ok(null) : err(noFolder(thread));
  const { saved } = last;
  if (saved.pushed || saved.machine.id === here.id) return ok(last);
  return err(elsewhere(thread.threadId, saved));
}

/** The only machine that may run the thread, wherever its files are; null: any. A fork works in a folder of its own. */
async function boundTo(
  cas: NodeReader,
  { startHash, forkedFrom }: Pick<ThreadRecord, "startHash" | "forkedFrom">,
): Promise<Machine | null> {
  if (forkedFrom !== null) return null;
  return (await readNode(cas, startHash, "start")).payload.staysOn ?? null;
}

export function elsewhere(
  threadId: string,
  { machine, remote }: Pick<SavedFiles, "machine" | "remote">,
): Failure {
  const why =
    remote === null ? "its repository has no remote" : `they could not be pushed to ${remote}`;
  return failure(
    "WORKSPACE_ELSEWHERE",
    `the files of thread ${threadId} are on ${machine.name} only: ${why}`,
    `resume it there: uncaged-workflow thread resume ${threadId}; once a step of it is pushed, any machine can go on`,
  );
}

function taskElsewhere({ threadId }: Pick<ThreadRecord, "threadId">, { name }: Machine): Failure {
  return failure(
    "WORKSPACE_ELSEWHERE",
    `thread ${threadId} works in the worktree of a task, which is on ${name}`,
    `resume it there: uncaged-workflow thread resume ${threadId}; or go on here with a copy: uncaged-workflow thread fork ${threadId}`,
  );
}

export function outOfReach(
  threadId: string,
  { machine, remote }: Pick<SavedFiles, "machine" | "remote">,
  { message }: Failure,
): Failure {
  return failure(
    "WORKSPACE_ELSEWHERE",
    `the files of thread ${threadId}, last on ${machine.name}, cannot be fetched from ${remote}: ${message}`,
    "see that this machine reaches the remote, with credentials of its own, then resume the thread",
  );
}

export function madeElsewhere(threadId: string, { machine }: Pick<SavedFiles, "machine">): Failure {
  return failure(
    "WORKSPACE_ELSEWHERE",
    `the last step of thread ${threadId} was made on ${machine.name}`,
    "poke it there, or go on here from an earlier step: uncaged-workflow thread fork",
  );
}

function noFolder({ threadId, cwd }: Pick<ThreadRecord, "threadId" | "cwd">): Failure {
  return failure(
    "WORKSPACE_ELSEWHERE",
    `thread ${threadId} works in ${cwd}, which is not on this machine, and in no git repository`,
    "resume it where it was started, or make that folder here",
  );
}
