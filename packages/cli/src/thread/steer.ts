/** Verbs that change what a thread does next. Each finds the thread, asks the engine, and says how the
 *  thread stands now. */
import {
  type Engine,
  killThread,
  observedStatus,
  pauseThread,
  resumeThread,
  stopThread,
} from "@uncaged/workflow-execute";
import {
  type Failure,
  ok,
  type Result,
  type ThreadLimits,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { type PromptSource, readPrompt } from "../prompt.ts";
import type { Style } from "../style.ts";
import { withThread } from "../with-engine.ts";
import { paintStatus } from "./paint-status.ts";
import type { Stay } from "./stay-options.ts";

export function pause(id: string, io: Io): Promise<Result<Output, Failure>> {
  return steer(io, id, pauseThread);
}

export async function resume(
  opts: { id: string; answer: PromptSource; limits: ThreadLimits | null; stay: Stay },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { limits, stay } = opts;
  const answer = opts.answer === null ? null : await readPrompt(opts.answer, io);
  if (stay === "background") {
    return steer(io, opts.id, (engine, thread) => resumeThread(engine, thread, { answer, limits }));
  }
  const { stayWith } = await import("./stay.ts");
  return withThread(io, opts.id, async (engine, found) => {
    // Asked before: what was said earlier is not shown again.
    const after = await engine.live.last(found.threadId);
    const resumed = await resumeThread(engine, found, { answer, limits });
    return resumed.ok ? stayWith({ engine, thread: resumed.value, after }, stay, io) : resumed;
  });
}

export function stop(id: string, io: Io): Promise<Result<Output, Failure>> {
  const signal = io.interruption();
  return steer(io, id, (engine, thread) => stopThread(engine, thread, { signal }));
}

export function kill(id: string, io: Io): Promise<Result<Output, Failure>> {
  const signal = io.interruption();
  return steer(io, id, (engine, thread) => killThread(engine, thread, { signal }));
}

type Verb = (engine: Engine, thread: ThreadRecord) => Promise<Result<ThreadRecord, Failure>>;

function steer(io: Io, id: string, verb: Verb): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, found) => {
    const steered = await verb(engine, found);
    if (!steered.ok) return steered;
    const thread = steered.value;
    const { threadId, workflow, bundleHash, head, stepCount, updatedAt, signals } = thread;
    const seen = observedStatus(thread, io.now());
    // A gate that is closed while a step runs shuts behind it.
    const pausing = seen.status === "running" && signals.includes("pause");
    return ok({
      document: { threadId, workflow, bundleHash, ...seen, pausing, head, stepCount, updatedAt },
      human: (style) => sentence(style, { threadId, status: seen.status, pausing }),
    });
  });
}

type Standing = Pick<ThreadRecord, "threadId" | "status"> & { pausing: boolean };

function sentence(style: Style, { threadId, status, pausing }: Standing): string {
  const rest = pausing ? "; it will rest after its current step" : "";
  return `${threadId} is ${paintStatus(style, status)}${rest}`;
}
