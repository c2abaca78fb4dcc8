/** Puts the step that a poke replaced back in its place.
 *
 *  1. Nothing is run and nothing is written but the head; the step that the poke made takes the other one's
 *     place, so that the undoing can be undone as well.
 *  2. A step that was published since, or a garbage collection that took the old one, makes it too late. */
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  isFinal,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { finishedRefusal } from "./finished-refusal.ts";
import { ownThread, type Tenancy } from "./own-thread.ts";
import type { Poke } from "./poke-thread.ts";
import { restAfterPoke } from "./rest-after-poke.ts";

/** Refused: `TRANSITION_INVALID` (nothing to undo, or finished), `LEASE_HELD` (running), `CAS_MISSING` (the
 *  old step was collected). */
export async function undoPoke(
  engine: Engine,
  thread: ThreadRecord,
  signal: AbortSignal,
): Promise<Result<Poke, Failure>> {
  const { threadId, status, replaced } = thread;
  if (isFinal(status)) return err(finishedRefusal(thread, "its last step cannot be replaced"));
  if (replaced === null) return err(nothingToUndo(threadId));
  return ownThread<Poke>(engine, {
    threadId,
    signal,
    use: (tenancy) => bringBack(engine, tenancy),
  });
}

async function bringBack(engine: Engine, tenancy: Tenancy): Promise<Result<Poke, Failure>> {
  const { thread, lease } = tenancy;
  const { threadId, head, replaced, stepCount } = thread;
  if (replaced === null) return err(nothingToUndo(threadId));
  const old = await engine.cas.get(replaced.head);
  if (old === null || sha256Hex(old) !== replaced.headSha256) return err(collected(thread));
  await engine.store.advance({
    threadId,
    fence: lease.fence,
    from: head,
    to: replaced.head,
    toSha256: replaced.headSha256,
    stepCount,
    nowMs: engine.now(),
    replaces: true,
  });
  const status = await restAfterPoke(engine, tenancy);
  return ok({ threadId, head: replaced.head, previousHead: head, status });
}

function nothingToUndo(threadId: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the last step of thread ${threadId} was not poked: there is nothing to undo`,
    "a poke can be undone until the next step",
  );
}

function collected({ threadId, replaced }: ThreadRecord): Failure {
  return failure(
    "CAS_MISSING",
    `the step ${replaced?.head ?? ""} that the poke of thread ${threadId} replaced is not in the store any more`,
    "cas gc has collected it; the thread stays as it is",
  );
}
