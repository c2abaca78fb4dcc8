/** Waits for the end of a thread that runs elsewhere. */
import { type Engine, observedStatus, waitForThread } from "@uncaged/workflow-execute";
import {
  EXIT,
  err,
  type Failure,
  failure,
  isFinal,
  ok,
  type Result,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { printable } from "../printable.ts";
import type { Style } from "../style.ts";
import { duration } from "../times.ts";
import { paintStatus } from "./paint-status.ts";
import { restLines } from "./rest-lines.ts";
import { waitingFor } from "./waiting-for.ts";

/** The thread's end. Its return code is the exit code; one that waits for a person gives 7, one that
 *  nobody runs any more 1. An interruption ends the waiting and not the thread: 130. */
export async function waitToEnd(
  { engine, thread }: { engine: Engine; thread: ThreadRecord },
  signal: AbortSignal,
  io: Io,
): Promise<Result<Output, Failure>> {
  const { threadId } = thread;
  const last = await unlessAborted(signal, waitForThread(engine, threadId, signal), () =>
    engine.store.get(threadId),
  );
  if (last === null) return err(removed(threadId));
  const seen = observedStatus(last, io.now());
  const { status } = seen;
  const { returnCode, summary, suspended } = last;
  if (signal.aborted && !isFinal(status)) await io.stderr.write(goesOn(threadId));
  return ok({
    document: {
      threadId,
      status,
      returnCode,
      summary,
      rootHash: isFinal(status) ? last.head : null,
      suspended,
    },
    human: (style) => endText({ engine, thread: last, style }, seen),
    exitCode: restCode(last, { status, interrupted: signal.aborted }),
  });
}

async function unlessAborted<T>(
  signal: AbortSignal,
  awaited: Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> {
  try {
    return await awaited;
  } catch (thrown) {
    if (signal.aborted) return otherwise();
    throw thrown;
  }
}

/** Of a command that watched a thread. */
export function restCode(
  thread: ThreadRecord,
  { status, interrupted }: { status: ThreadStatus; interrupted: boolean },
): number {
  if (isFinal(status)) return thread.returnCode ?? EXIT.failure;
  if (interrupted) return EXIT.aborted;
  return status === "suspended" ? EXIT.waitsForPerson : EXIT.failure;
}

function endText(
  at: { engine: Engine; thread: ThreadRecord; style: Style },
  seen: { status: ThreadStatus; stale: boolean },
): string {
  const { threadId, suspended, summary, createdAt, updatedAt } = at.thread;
  const { dim } = at.style;
  const shown = paintStatus(at.style, seen.status);
  if (isFinal(seen.status)) {
    const took = dim(`${threadId} after ${duration(updatedAt - createdAt)}`);
    return `${shown}  ${took}\n${printable(summary ?? "")}`;
  }
  const asked =
    suspended === null ? [] : [`${waitingFor(suspended)} ${printable(suspended.message)}`];
  return [`${shown}  ${dim(threadId)}`, ...asked, ...restLines(at, seen)].join("\n");
}

function goesOn(threadId: string): string {
  return `thread ${threadId} goes on in the background; watch it with: uncaged-workflow live ${threadId}\n`;
}

export function removed(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `thread ${threadId} was removed while it was watched`, "");
}
