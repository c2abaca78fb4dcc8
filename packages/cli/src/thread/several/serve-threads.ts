/** Does the same to one thread or to several. For several it first says what it will do, and asks on a terminal; then
 *  each failure is reported, and the others are handled anyway. */
import { type Engine, findThread } from "@uncaged/workflow-execute";
import {
  EXIT,
  exitCodeOf,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Output, Said } from "../../command/command.ts";
import { confirmed } from "../../command/confirm.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { failureOfThrown } from "../../command/render-error.ts";
import { withEngine, withThread } from "../../command/with-engine.ts";
import { writeText } from "../../command/write-text.ts";
import { styleOf } from "../../terminal/style.ts";
import type { ThreadChoice } from "./choose-threads.ts";
import { failedEntry } from "./failed-entry.ts";
import { type PlannedThread, plannedThreads } from "./planned-threads.ts";
import { renderPlan } from "./render-plan.ts";
import { complain, severalOutput, tell } from "./several-output.ts";

export type Act = (
  engine: Engine,
  thread: ThreadRecord,
  /** Called by verbs that can be interrupted: from then on, the first Ctrl-C does not end the process. */
  interruption: () => AbortSignal,
) => Promise<Result<Said, Failure>>;

export type Verb = {
  /** `kill`, for the plan. */
  word: string;
  /** Whether what is done to a thread reaches its child threads, so that they need not be handled as well. */
  children: "apart" | "with their parent";
  act: Act;
  /** What follows for all handled threads together; it returns each thread's document. */
  then?: Act;
};

/** This many are handled in parallel: a runner that does not answer holds up only its own place. */
const AT_ONCE = 8;

export async function serveThreads(
  choice: ThreadChoice,
  verb: Verb,
  io: Io,
): Promise<Result<Output, Failure>> {
  if (choice.kind === "one") {
    return withThread(io, choice.id, async (engine, thread) => {
      const served = await verb.act(engine, thread, io.interruption);
      if (!served.ok || verb.then === undefined) return served;
      return verb.then(engine, thread, io.interruption);
    });
  }
  return withEngine(io, async (engine) => {
    const planned = await plannedThreads(engine, choice, verb.children);
    if (planned.length === 0) return ok(nothing(`no thread matches: nothing to ${verb.word}`));
    const style = styleOf(io.stderr);
    await writeText(io.stderr, renderPlan(verb.word, planned, { style, nowMs: io.now() }));
    if (!choice.yes && !(await confirmed("Go on?", io))) {
      return ok({ ...nothing("nothing was done"), exitCode: EXIT.aborted });
    }
    return ok(await serveAll({ engine, planned, verb, signal: io.interruption() }, io));
  });
}

type Serving = {
  engine: Engine;
  planned: readonly PlannedThread[];
  verb: Verb;
  signal: AbortSignal;
};

type Served = { threadId: string; result: Result<Said, Failure> };

async function serveAll(serving: Serving, io: Io): Promise<Output> {
  const { planned, verb, signal } = serving;
  const first = await sideBySide(planned, AT_ONCE, async (thread): Promise<Served> => {
    const { threadId } = thread;
    if (signal.aborted) return { threadId, result: { ok: false, error: notReached(threadId) } };
    const result = await serve(serving, thread, verb.act);
    await show(result, io);
    return { threadId, result };
  });
  const { then } = verb;
  const last =
    then === undefined
      ? first
      : await sideBySide(first, first.length, async (served) => {
          if (!served.result.ok) return served;
          const result = await serve(serving, served, then);
          await show(result, io);
          return { ...served, result };
        });
  const failed = last.filter(({ result }) => !result.ok).length;
  if (failed > 0)
    await writeText(io.stderr, `${failed} of ${count(last.length, "thread")} failed\n`);
  return outputOf(last, io);
}

async function serve(
  { engine, signal }: Serving,
  thread: PlannedThread | Served,
  act: Act,
): Promise<Result<Said, Failure>> {
  if ("missing" in thread) return { ok: false, error: thread.missing };
  try {
    // Read again: handling the others may have taken a while.
    const found = await findThread(engine, thread.threadId);
    return found.ok ? await act(engine, found.value, () => signal) : found;
  } catch (thrown) {
    return { ok: false, error: failureOfThrown(thrown) };
  }
}

function show(result: Result<Said, Failure>, io: Io): Promise<void> {
  return result.ok ? tell(result.value.human, io) : complain(result.error, io);
}

function outputOf(served: readonly Served[], io: Pick<Io, "json">): Output {
  const codes = served.map(({ result }) =>
    result.ok ? (result.value.exitCode ?? EXIT.success) : exitCodeOf(result.error.code),
  );
  const document = served.map(({ threadId, result }) =>
    result.ok ? result.value.document : failedEntry(threadId, result.error),
  );
  return severalOutput({ document, codes }, io);
}

/** Results in the order of the items. */
async function sideBySide<Item, Done>(
  items: readonly Item[],
  atOnce: number,
  serveOne: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  const next = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of next) done[at] = await serveOne(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return done;
}

function nothing(words: string): Said {
  return { document: [], human: () => words };
}

function notReached(threadId: string): Failure {
  return failure(
    "THREAD_ABORTED",
    `thread ${threadId} was not reached before the interruption`,
    "nothing was done to it",
  );
}
