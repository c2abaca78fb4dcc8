import {
  type CheckEvidence,
  err,
  type Failure,
  failure,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Repository } from "../repository/find-repository.ts";
import { type CheckSubject, checkFrame, identityOf } from "./check-frame.ts";
import { checkTree } from "./check-tree.ts";
import type { EvidenceMemo } from "./evidence-memo.ts";
import { openScratch } from "./scratch.ts";

export type CheckOptions = CheckSubject & {
  /** Where the objects of both trees are. */
  repository: Repository;
  /** Folder that keeps what setups installed; out of the agents' reach. */
  cache: string;
  /** Default: nothing is remembered. */
  memo?: EvidenceMemo | undefined;
  /** By which another process finds the processes of a run. */
  tag?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** Runs a check on a tree: on what an agent left, not where it left it. A check that fails is a value like one that
 *  passes. Errors: `GIT_FAILED`, and `CHECK_FAILED` when there was nothing to see: the base's setup fails, or an id
 *  names no tree. Rejects with the reason of an aborted `signal`. */
export async function runCheck(options: CheckOptions): Promise<Result<CheckEvidence, Failure>> {
  const { repository, tree, base, memo } = options;
  for (const id of [tree, base])
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return err(noTree(id));
  const frame = await checkFrame(options.check);
  const { key } = identityOf(options, frame);
  const known = await memo?.get(key);
  if (known !== undefined && known !== null) return ok(known);
  const scratch = await openScratch(repository);
  if (!scratch.ok) return scratch;
  try {
    const evidence = await checkTree(scratch.value, options, frame);
    if (evidence.ok && isFinal(evidence.value)) await memo?.put(key, evidence.value);
    return evidence;
  } finally {
    await scratch.value.remove();
  }
}

/** The key under which a memo keeps the evidence of a check. */
export async function checkKey(subject: CheckSubject): Promise<string> {
  return identityOf(subject, await checkFrame(subject.check)).key;
}

/** A run that was cut off may end otherwise next time. */
function isFinal({ clean, controlled, canary }: CheckEvidence): boolean {
  return [clean, controlled, canary].every((run) => run?.timedOut !== true);
}

function noTree(id: string): Failure {
  return failure(
    "CHECK_FAILED",
    `${JSON.stringify(id)} is no id of a tree`,
    "give the 40 or 64 hexadecimal digits that git write-tree prints",
  );
}
