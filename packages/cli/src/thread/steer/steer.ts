/** Verbs that change what threads do next. Each finds the threads, asks the engine, and reports each
 *  thread's new status. */
import {
  type Engine,
  killThread,
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
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { type PromptSource, readPrompt } from "../../command/prompt.ts";
import { withThread } from "../../command/with-engine.ts";
import type { Stay } from "../look/stay-options.ts";
import { waitToEnd } from "../look/wait.ts";
import type { ThreadChoice } from "../several/choose-threads.ts";
import { type Act, serveThreads } from "../several/serve-threads.ts";
import { steered } from "./steered.ts";

export function pause(choice: ThreadChoice, io: Io): Promise<Result<Output, Failure>> {
  return steer(choice, { word: "pause", verb: pauseThread }, io);
}

export async function resume(
  opts: { choice: ThreadChoice; answer: PromptSource; limits: ThreadLimits | null; stay: Stay },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { choice, limits, stay } = opts;
  const answer = opts.answer === null ? null : await readPrompt(opts.answer, io);
  const verb: EngineVerb = (engine, thread) => resumeThread(engine, thread, { answer, limits });
  if (stay === "background") return steer(choice, { word: "resume", verb }, io);
  if (choice.kind !== "one") {
    const then: Act = (engine, thread, interruption) =>
      waitToEnd({ engine, thread }, interruption(), io);
    return serveThreads(choice, { word: "resume", ...STEERING, act: acting(verb, io), then }, io);
  }
  const { stayWith } = await import("../look/stay.ts");
  return withThread(io, choice.id, async (engine, found) => {
    // Determined before the call: earlier events are not shown again.
    const after = await engine.live.last(found.threadId);
    const resumed = await verb(engine, found, io.interruption);
    return resumed.ok ? stayWith({ engine, thread: resumed.value, after }, stay, io) : resumed;
  });
}

export function stop(choice: ThreadChoice, io: Io): Promise<Result<Output, Failure>> {
  const verb: EngineVerb = (engine, thread, interruption) =>
    stopThread(engine, thread, { signal: interruption() });
  return steer(choice, { word: "stop", verb }, io);
}

export function kill(choice: ThreadChoice, io: Io): Promise<Result<Output, Failure>> {
  const verb: EngineVerb = (engine, thread, interruption) =>
    killThread(engine, thread, { signal: interruption() });
  return steer(choice, { word: "kill", verb }, io);
}

type EngineVerb = (
  engine: Engine,
  thread: ThreadRecord,
  interruption: () => AbortSignal,
) => Promise<Result<ThreadRecord, Failure>>;

/** A thread's runner starts and ends its children. */
const STEERING = { children: "with their parent" } as const;

function steer(
  choice: ThreadChoice,
  { word, verb }: { word: string; verb: EngineVerb },
  io: Io,
): Promise<Result<Output, Failure>> {
  return serveThreads(choice, { word, ...STEERING, act: acting(verb, io) }, io);
}

function acting(verb: EngineVerb, io: Pick<Io, "now">): Act {
  return async (engine, found, interruption) => {
    const acted = await verb(engine, found, interruption);
    if (!acted.ok) return acted;
    return ok(steered(acted.value, io));
  };
}
