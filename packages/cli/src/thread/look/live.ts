/** Watches a thread until it stops running, and reports its status. */
import { type Engine, findThread, observedStatus, viewThread } from "@uncaged/workflow-execute";
import {
  endingOf,
  err,
  type Failure,
  failure,
  isFinal,
  type LiveItem,
  ok,
  type Result,
  suspensionOf,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { escaped } from "../../command/json-pieces.ts";
import { withEngine } from "../../command/with-engine.ts";
import { writeText } from "../../command/write-text.ts";
import { printableLine } from "../../terminal/printable.ts";
import { type Style, styleOf } from "../../terminal/style.ts";
import { renderStep } from "../view/render-step.ts";
import { stoppedLines } from "../view/stopped-lines.ts";
import { type LiveDetail, liveView } from "./live-view.ts";
import { type StatusItem, showLive } from "./show-live.ts";
import { removed, restCode } from "./wait.ts";

export type WatchOptions = {
  /** null: the newest thread. */
  id: string | null;
  /** Only this role's events; null: all. */
  role: string | null;
  /** The last n events, or those after a number; 0: all that are kept. */
  from: { last: number } | { after: number };
  detail: LiveDetail;
};

/** With `--json` every item is on its own line, and the last one is the thread's status. The exit code is that of
 *  `run --wait`. */
export async function watchThread(opts: WatchOptions, io: Io): Promise<Result<Output, Failure>> {
  return withEngine(io, async (engine) => {
    const id = opts.id ?? (await engine.store.list({ limit: 1 }))[0]?.threadId;
    if (id === undefined) return err(noThreads());
    const found = await findThread(engine, id);
    if (!found.ok) return found;
    const { threadId } = found.value;
    const signal = io.interruption();
    const to = io.stdout;
    const style = styleOf(to);
    if (!io.json && (await saidNothing(engine, found.value))) {
      await writeText(to, await past(engine, found.value, style));
    }
    const view = liveView(style, opts.detail);
    const write = io.json ? jsonLine : view;
    const after = await startOf(engine, threadId, opts);
    const { role } = opts;
    const follow = { after, until: "rest", role, signal, write, to } as const;
    const status = await showLive({ engine, threadId }, follow);
    const thread = await engine.store.get(threadId);
    if (thread === null) return err(removed(threadId));
    const seen = observedStatus(thread, io.now());
    if (status !== null && status.status !== seen.status) await writeText(to, write(status));
    const interrupted = signal.aborted;
    if (!interrupted || isFinal(seen.status)) {
      const stands = { engine, thread, style, status };
      await writeText(to, io.json ? standsJson(stands, seen) : view(statusOf(thread, seen)));
      if (!io.json) for (const line of stoppedLines(stands, seen)) await writeText(to, `${line}\n`);
    }
    return ok({ streamed: true, exitCode: restCode(thread, { ...seen, interrupted }) });
  });
}

type Seen = { status: ThreadStatus; stale: boolean };

/** The number of the event after which to begin. */
async function startOf(
  engine: Engine,
  threadId: string,
  { from, role }: Pick<WatchOptions, "from" | "role">,
): Promise<number> {
  if ("after" in from) return from.after;
  const newest = await engine.live.last(threadId);
  if (role === null || from.last === 0) return Math.max(0, newest - from.last);
  const { signal } = new AbortController();
  const seqs: number[] = [];
  for await (const item of engine.live.read(threadId, { after: 0, until: "end", signal })) {
    if (item.type === "gap" || ("role" in item && item.role !== role)) continue;
    seqs.push(item.seq);
    if (seqs.length > from.last) seqs.shift();
  }
  return (seqs[0] ?? newest + 1) - 1;
}

/** Whether nobody runs it and there is nothing to watch: an idle fork, or an imported thread. */
async function saidNothing(engine: Engine, thread: ThreadRecord): Promise<boolean> {
  const { status } = observedStatus(thread, engine.now());
  return status !== "running" && (await engine.live.last(thread.threadId)) === 0;
}

const PAST_STEPS = 3;

/** What such a thread is, and its last steps. */
async function past(engine: Engine, thread: ThreadRecord, style: Style): Promise<string> {
  const { start, steps, forkedFrom } = await viewThread(engine, thread);
  const origin = forkedFrom === null ? "" : `, a fork of ${forkedFrom.threadId}`;
  const earlier = steps.length - PAST_STEPS;
  return [
    `${style.bold(thread.threadId)}  ${thread.workflow}, ${count(steps.length, "step")}${origin}\n`,
    style.dim(`prompt: ${printableLine(start.prompt, 200)}\n`),
    ...(earlier > 0 ? [style.dim(`… ${count(earlier, "earlier step")}, see: thread show\n`)] : []),
    ...steps.slice(-PAST_STEPS).map((step) => renderStep(step, style)),
  ].join("");
}

function jsonLine(item: LiveItem): string {
  return `${escaped(JSON.stringify(item))}\n`;
}

function statusOf(thread: ThreadRecord, { status }: Seen): Omit<StatusItem, "seq"> {
  const { threadId, updatedAt } = thread;
  const said = endingOf(thread)?.summary ?? suspensionOf(thread)?.message ?? null;
  return { threadId, timestamp: updatedAt, type: "status", status, summary: said };
}

/** As a status event, with the details that `run --wait` adds. `seq` is null when the log does not end with it. */
function standsJson(
  { thread, status }: { thread: ThreadRecord; status: StatusItem | null },
  seen: Seen,
): string {
  const returnCode = endingOf(thread)?.returnCode ?? null;
  const suspended = suspensionOf(thread);
  const seq = status?.status === seen.status ? status.seq : null;
  const rootHash = isFinal(seen.status) ? thread.head : null;
  const stands = { seq, ...statusOf(thread, seen), stale: seen.stale };
  return `${escaped(JSON.stringify({ ...stands, returnCode, rootHash, suspended }))}\n`;
}

function noThreads(): Failure {
  return failure(
    "THREAD_NOT_FOUND",
    "there are no threads yet",
    "start one with: uncaged-workflow run <workflow> --prompt <text>",
  );
}
