import { type Engine, findThread, followThread } from "@uncaged/workflow-execute";
import {
  EXIT,
  err,
  type Failure,
  failure,
  type LiveEvent,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io, Sink } from "../io.ts";
import { styleOf } from "../style.ts";
import { withEngine } from "../with-engine.ts";
import { type LiveDetail, liveView } from "./live-view.ts";

export type WatchOptions = {
  /** null: the newest thread. */
  id: string | null;
  /** Only this role's events; null: all. */
  role: string | null;
  detail: LiveDetail;
};

/** Watches a thread until it rests. With `--json` every event is a line of its own. */
export async function watchThread(opts: WatchOptions, io: Io): Promise<Result<Output, Failure>> {
  return withEngine(io, async (engine) => {
    const id = opts.id ?? (await engine.store.list({ limit: 1 }))[0]?.threadId;
    if (id === undefined) return err(noThreads());
    const thread = await findThread(engine, id);
    if (!thread.ok) return thread;
    const signal = io.interruption();
    const write = io.json
      ? (event: LiveEvent) => `${JSON.stringify(event)}\n`
      : liveView(styleOf(io.stdout), opts.detail);
    await follow(
      { engine, threadId: thread.value.threadId },
      { ...opts, signal, write, to: io.stdout },
    );
    return ok({ streamed: true, exitCode: signal.aborted ? EXIT.aborted : EXIT.success });
  });
}

export async function follow(
  { engine, threadId }: { engine: Engine; threadId: string },
  opts: {
    role: string | null;
    signal: AbortSignal;
    write: (event: LiveEvent) => string;
    to: Sink;
  },
): Promise<void> {
  for await (const event of followThread(engine, threadId, { signal: opts.signal })) {
    if (opts.role !== null && "role" in event && event.role !== opts.role) continue;
    const text = opts.write(event);
    // Awaited: a terminal that reads slowly slows the reading of the file, not the thread.
    if (text !== "") await opts.to.write(text);
  }
}

function noThreads(): Failure {
  return failure(
    "THREAD_NOT_FOUND",
    "there are no threads yet",
    "start one with: uncaged-workflow run <workflow> --prompt <text>",
  );
}
