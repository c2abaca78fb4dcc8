/** Restores the step that a poke replaced.
 *
 *  1. Nothing runs, and nothing is written except the head. The poke's step becomes the replaced one, so the undo can
 *     be undone as well.
 *  2. It is too late once another step was published or a garbage collection took the old one. */
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  isFinished,
  ok,
  type ParkedState,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { loadChain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { type LeaseHandle, withLease } from "../lease/with-lease.ts";
import { bundleOf } from "../run/load-run.ts";
import type { Engine } from "../storage/engine.ts";
import { limitAt } from "./limit-at.ts";
import { parkAfterPoke } from "./park-after-poke.ts";
import type { Poke } from "./poke-thread.ts";

/** Refused: `TRANSITION_INVALID` (nothing to undo, or finished), `LEASE_HELD` (running), `CAS_MISSING` (the old step
 *  was collected). */
export async function undoPoke(
  engine: Engine,
  thread: ThreadRecord,
  signal: AbortSignal,
): Promise<Result<Poke, Failure>> {
  const { threadId } = thread;
  if (isFinished(thread)) return err(finishedRefusal(thread, "its last step cannot be replaced"));
  if (thread.replaced === null) return err(nothingToUndo(threadId));
  return withLease<Poke>(engine, {
    threadId,
    signal,
    use: (handle) => restoreStep(engine, handle),
  });
}

async function restoreStep(engine: Engine, handle: LeaseHandle): Promise<Result<Poke, Failure>> {
  const { thread, lease } = handle;
  const { threadId, head, replaced } = thread;
  if (replaced === null) return err(nothingToUndo(threadId));
  const old = await engine.cas.get(replaced.head);
  if (old === null || sha256Hex(old) !== replaced.headSha256)
    return err(collected(threadId, replaced.head));
  await engine.store.advance({
    kind: "replace",
    threadId,
    fence: lease.fence,
    from: head,
    to: replaced.head,
    toSha256: replaced.headSha256,
    nowMs: engine.now(),
  });
  const status = await parkAfterPoke(engine, handle, await standingOf(engine, thread, replaced));
  return ok({ threadId, head: replaced.head, previousHead: head, status });
}

/** A thread that stands at its limit again says so. What cannot be read now is said when it goes on. */
async function standingOf(
  engine: Engine,
  thread: ThreadRecord,
  restored: { head: string; headSha256: string },
): Promise<ParkedState> {
  try {
    const now = { ...thread, ...restored };
    const chain = await loadChain(engine.cas, now);
    const bundle = await bundleOf(engine, now, chain);
    if (!bundle.ok) return { status: "idle" };
    const context = await threadContext(engine.cas, now, chain);
    const wait = await limitAt(bundle.value.descriptor, context, thread.limits);
    return wait === null ? { status: "idle" } : { status: "suspended", waits: [wait] };
  } catch {
    return { status: "idle" };
  }
}

function nothingToUndo(threadId: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the last step of thread ${threadId} was not poked: there is nothing to undo`,
    "a poke can be undone until the next step",
  );
}

function collected(threadId: string, step: string): Failure {
  return failure(
    "CAS_MISSING",
    `the step ${step} that the poke of thread ${threadId} replaced is no longer in the store`,
    "cas gc has collected it; the thread stays as it is",
  );
}
