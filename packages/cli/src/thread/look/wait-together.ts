/** Waits for several threads at once, each shown as soon as it rests. */
import { type Engine, waitForThreads } from "@uncaged/workflow-execute";
import { EXIT, exitCodeOf, type ThreadRecord } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { failedEntry } from "../several/failed-entry.ts";
import { complain, severalOutput, tell } from "../several/several-output.ts";
import { type Rest, removed, restOf } from "./wait.ts";

type Entry = Rest["document"] | ReturnType<typeof failedEntry>;

/** One entry for each thread; with `first` only for the one that rests first. The exit code is the worst of theirs.
 *  An interruption ends the waiting and not the threads: 130. */
export async function waitTogether(
  { engine, threads }: { engine: Engine; threads: readonly ThreadRecord[] },
  { until, signal }: { until: "all" | "first"; signal: AbortSignal },
  io: Io,
): Promise<Output> {
  const entries: Entry[] = [];
  const codes: number[] = [];
  const waiting = new Set(threads.map(({ threadId }) => threadId));
  const add = async (threadId: string, thread: ThreadRecord | null): Promise<void> => {
    waiting.delete(threadId);
    if (thread === null) {
      const reason = removed(threadId);
      entries.push(failedEntry(threadId, reason));
      codes.push(exitCodeOf(reason.code));
      if (!io.json) await complain(reason, io);
      return;
    }
    const rest = await restOf({ engine, thread }, { interrupted: signal.aborted, nowMs: io.now() });
    entries.push(rest.document);
    codes.push(rest.exitCode);
    await tell(rest.human, io);
  };
  try {
    for await (const { threadId, thread } of waitForThreads(engine, [...waiting], signal)) {
      await add(threadId, thread);
      if (until === "first") break;
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    await io.stderr.write(goOn(waiting.size));
    for (const threadId of [...waiting]) await add(threadId, await engine.store.get(threadId));
    codes.push(EXIT.aborted);
  }
  return severalOutput({ document: entries, codes }, io);
}

function goOn(threads: number): string {
  return `${count(threads, "thread")} ${threads === 1 ? "continues" : "continue"} in the background; see: uncaged-workflow ps\n`;
}
