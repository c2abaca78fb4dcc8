/** Waits for the end of a thread that runs elsewhere. */
import {
  type Engine,
  observedStatus,
  recordedResultOf,
  waitForThread,
} from "@uncaged/workflow-execute";
import {
  EXIT,
  endingOf,
  err,
  type Failure,
  failure,
  isFinal,
  type JsonValue,
  ok,
  type RecordedResult,
  type Result,
  suspensionOf,
  type ThreadRecord,
  type ThreadStatus,
  type Wait,
  waitsOf,
} from "@uncaged/workflow-protocol";
import type { Io } from "../../command/io.ts";
import { printable } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { duration } from "../../terminal/times.ts";
import { paintStatus } from "../view/paint-status.ts";
import { resultLines } from "../view/result-lines.ts";
import { stoppedLines } from "../view/stopped-lines.ts";
import { waitingFor } from "../view/waiting-for.ts";

/** Waits for the thread's end. Its return code is the exit code; a thread that waits for a person returns 7, one
 *  that nobody runs any more 1. An interruption ends the wait, not the thread: 130. */
export async function waitToEnd(
  { engine, thread }: { engine: Engine; thread: ThreadRecord },
  signal: AbortSignal,
  io: Io,
): Promise<Result<Rest, Failure>> {
  const { threadId } = thread;
  const last = await unlessAborted(signal, waitForThread(engine, threadId, signal), () =>
    engine.store.get(threadId),
  );
  if (last === null) return err(removed(threadId));
  const rest = await restOf(
    { engine, thread: last },
    { interrupted: signal.aborted, nowMs: io.now() },
  );
  if (signal.aborted && !isFinal(rest.document.status)) await io.stderr.write(goesOn(threadId));
  return ok(rest);
}

export type Rest = {
  document: {
    threadId: string;
    status: ThreadStatus;
    returnCode: number | null;
    summary: string | null;
    rootHash: string | null;
    suspended: Wait | null;
    result?: JsonValue;
    resultError?: string;
  };
  human: (style: Style) => string;
  exitCode: number;
};

/** How a thread came to rest after a wait. */
export async function restOf(
  { engine, thread }: { engine: Engine; thread: ThreadRecord },
  { interrupted, nowMs }: { interrupted: boolean; nowMs: number },
): Promise<Rest> {
  const seen = observedStatus(thread, nowMs);
  const { status } = seen;
  const { returnCode, summary } = endingOf(thread) ?? { returnCode: null, summary: null };
  const { threadId } = thread;
  const suspended = suspensionOf(thread);
  const rootHash = isFinal(status) ? thread.head : null;
  const recorded = (await recordedResultOf(engine.cas, thread)) ?? {};
  return {
    document: {
      ...{ threadId, status, returnCode, summary, rootHash, suspended },
      ...(recorded.value === undefined ? {} : { result: recorded.value }),
      ...(recorded.error === undefined ? {} : { resultError: recorded.error }),
    },
    human: (style) => endText({ engine, thread, recorded, style }, seen),
    exitCode: restCode(thread, { status, interrupted }),
  };
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

/** Exit code of a command that watched a thread. */
export function restCode(
  thread: ThreadRecord,
  { status, interrupted }: { status: ThreadStatus; interrupted: boolean },
): number {
  if (isFinal(status)) return endingOf(thread)?.returnCode ?? EXIT.failure;
  if (interrupted) return EXIT.aborted;
  return status === "suspended" ? EXIT.waitsForPerson : EXIT.failure;
}

function endText(
  at: { engine: Engine; thread: ThreadRecord; recorded: RecordedResult; style: Style },
  seen: { status: ThreadStatus; stale: boolean },
): string {
  const { threadId, createdAt, updatedAt } = at.thread;
  const { dim } = at.style;
  const shown = paintStatus(at.style, seen.status);
  if (isFinal(seen.status)) {
    const took = dim(`${threadId} after ${duration(updatedAt - createdAt)}`);
    const lines = [`${shown}  ${took}`, printable(endingOf(at.thread)?.summary ?? "")];
    return [...lines, ...resultLines(at.recorded, at.style)].join("\n");
  }
  const asked = waitsOf(at.thread).map((wait) => `${waitingFor(wait)} ${printable(wait.message)}`);
  return [`${shown}  ${dim(threadId)}`, ...asked, ...stoppedLines(at, seen)].join("\n");
}

function goesOn(threadId: string): string {
  return `thread ${threadId} continues in the background; watch it with: uncaged-workflow live ${threadId}\n`;
}

export function removed(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `thread ${threadId} was removed while it was watched`, "");
}
