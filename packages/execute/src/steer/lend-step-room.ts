/** Lends the room of the thread in whose step a command waits. Otherwise an agent that waits for a thread that it has
 *  started would keep that thread from starting, at a limit that both are under.
 *
 *  1. A member of a group lends nothing: others of the group may be at work.
 *  2. The wait does not return before the room is back, unless it is interrupted: then it is wanted back, and counts.
 *  3. A command that is killed while it waits leaves the room lent until the agent's run has ended. */
import { setTimeout as sleep } from "node:timers/promises";
import { stepOwner } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";

const ASK_EVERY_MS = 250;

/** `tag`: of this process; undefined: it belongs to no step. */
export async function lendStepRoom<T>(
  { dispatch, now }: Pick<Engine, "dispatch" | "now">,
  { tag, signal }: { tag: string | undefined; signal: AbortSignal },
  wait: () => Promise<T>,
): Promise<T> {
  const owner = stepOwner(tag);
  if (owner === null || !(await wasDone(() => dispatch.lend(owner)))) return wait();
  try {
    return await wait();
  } finally {
    const takeBack = (): Promise<boolean> => dispatch.takeBack({ ...owner, nowMs: now() });
    // Whoever does not own the thread any more needs no room for it.
    for (let isBack = false; !isBack; ) {
      isBack = (await takeBack().catch(() => true)) || signal.aborted;
      if (!isBack) await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function wasDone(change: () => Promise<void>): Promise<boolean> {
  return change().then(
    () => true,
    () => false,
  );
}
