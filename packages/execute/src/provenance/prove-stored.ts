/** A thread of this storage root, proved, with the records that the proof was based on: an export or attestation
 *  captures one moment of each thread, whatever else is running. */
import {
  err,
  type Failure,
  failure,
  isErrorCode,
  ok,
  type Problem,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { storedThreads } from "../chain/thread-source.ts";
import type { Engine } from "../storage/engine.ts";
import { type Proof, proveThread } from "../verify/verify-thread.ts";

export type ProvedThread = {
  proof: Proof;
  /** The threads of `proof.threads`, as complete records. */
  records: readonly [ThreadRecord, ...ThreadRecord[]];
};

/** Fails with the first problem of the proof; `so` says what that rules out. */
export async function proveStored(
  engine: Engine,
  thread: ThreadRecord,
  so: string,
): Promise<Result<ProvedThread, Failure>> {
  const children: ThreadRecord[] = [];
  const source = {
    ...storedThreads(engine),
    async thread(threadId: string): Promise<ThreadRecord | null> {
      const child = await engine.store.get(threadId);
      if (child !== null) children.push(child);
      return child;
    },
  };
  const proof = await proveThread(source, thread);
  const [first] = proof.report.problems;
  if (first !== undefined) return err(unproved(thread.threadId, first, so));
  return ok({ proof, records: [thread, ...children] });
}

function unproved(threadId: string, { code, hash, message }: Problem, so: string): Failure {
  return failure(
    isErrorCode(code) ? code : "CHAIN_BROKEN",
    `thread ${threadId} cannot be proved and ${so}: ${hash}: ${message}`,
    `see all that is wrong with: uncaged-workflow thread verify ${threadId}`,
  );
}
