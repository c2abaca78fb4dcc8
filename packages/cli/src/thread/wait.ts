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
import { readRegularFileSync, storagePaths } from "@uncaged/workflow-util";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { printable, printableLine } from "../printable.ts";
import type { Style } from "../style.ts";
import { duration } from "../times.ts";
import { howToGoOn } from "./how-to-go-on.ts";
import { paintStatus } from "./paint-status.ts";
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
  const { status } = observedStatus(last, io.now());
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
    human: (style) => endText(style, last, { status, said: lastWords(engine, threadId) }),
    exitCode: exitCodeOf(last, { status, interrupted: signal.aborted }),
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

function exitCodeOf(
  thread: ThreadRecord,
  { status, interrupted }: { status: ThreadStatus; interrupted: boolean },
): number {
  if (isFinal(status)) return thread.returnCode ?? EXIT.failure;
  if (interrupted) return EXIT.aborted;
  return status === "suspended" ? EXIT.waitsForPerson : EXIT.failure;
}

type End = {
  status: ThreadStatus;
  /** Last line of the runner's log; empty when it said nothing. */
  said: string;
};

function endText(style: Style, thread: ThreadRecord, { status, said }: End): string {
  const { threadId, suspended, summary, createdAt, updatedAt } = thread;
  const shown = paintStatus(style, status);
  if (isFinal(status)) {
    const took = style.dim(`${threadId} after ${duration(updatedAt - createdAt)}`);
    return `${shown}  ${took}\n${printable(summary ?? "")}`;
  }
  const lines = [`${shown}  ${style.dim(threadId)}`];
  if (suspended !== null) {
    lines.push(`${waitingFor(suspended)} ${printable(suspended.message)}`);
    lines.push(howToGoOn(threadId, suspended, style));
  } else if (status === "idle") {
    lines.push("it has not ended, and nobody runs it any more");
    if (said !== "") lines.push(`its runner said: ${printableLine(said, 500)}`);
    lines.push(`go on with: uncaged-workflow thread resume ${threadId}`);
  }
  return lines.join("\n");
}

/** Runners write no more than a part of that. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

function lastWords(engine: Engine, threadId: string): string {
  try {
    const path = storagePaths(engine.root).runnerLog(threadId);
    const log = readRegularFileSync(path, MAX_LOG_BYTES);
    return log.ok ? (log.value.bytes.toString("utf8").trimEnd().split("\n").at(-1) ?? "") : "";
  } catch {
    // A thread that never had a runner has no log, and a missing log must not hide its end.
    return "";
  }
}

function goesOn(threadId: string): string {
  return `thread ${threadId} goes on in the background; watch it with: uncaged-workflow live ${threadId}\n`;
}

function removed(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `thread ${threadId} was removed while it was waited for`, "");
}
