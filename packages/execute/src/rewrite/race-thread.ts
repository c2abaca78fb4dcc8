/** Lets several agents continue from the same state of a thread, side by side, and compares the results.
 *
 *  1. Each contender is a separate fork with its own runner: what happens to one does not affect the others, and all of
 *     them can be inspected, resumed or removed afterwards.
 *  2. The original thread is not changed.
 *  3. An abort stops every contender; what they did so far is kept. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  endingOf,
  err,
  type Failure,
  failure,
  type JsonObject,
  type Limits,
  ok,
  type Result,
  type StepOutcome,
  sumUsage,
  suspensionOf,
  type ThreadRecord,
  type ThreadStatus,
  type Usage,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { endState, loadChain, roleStates } from "../chain/chain.ts";
import { unknownAgent } from "../run/named-agent.ts";
import { startRunner } from "../runner/start-runner.ts";
import { stopThread } from "../steer/stop-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";
import { restsNow } from "../watch/wait-for-thread.ts";
import type { ForkFiles } from "./files-of-fork.ts";
import type { ForkPoint } from "./fork-point.ts";
import { forkThread, startFork } from "./fork-thread.ts";

export type Contender = {
  agent: string;
  threadId: string;
  status: ThreadStatus;
  returnCode: number | null;
  /** Steps made since the fork. */
  steps: number;
  /** Meta of the last step since the fork; null when there is none. */
  last: { role: string; outcome: StepOutcome; meta: JsonObject } | null;
  /** How it ended, or what it waits for. */
  summary: string | null;
  /** Usage of the steps since the fork; null when no agent reports it. */
  usage: Usage | null;
  durationMs: number;
};

export type Race = {
  forkedFrom: { threadId: string; stateHash: string };
  contenders: Contender[];
};

const LOOK_EVERY_MS = 100;

export type RaceStart = {
  from: ForkPoint;
  agents: readonly string[];
  limits: Limits | null;
  /** Of each contender. */
  files: ForkFiles;
  /** The same key, with the same agents in the same order, returns the same contenders; null: new ones each time. */
  startKey: string | null;
};

/** Contenders that run, each in the background. */
export type StartedRace = {
  forkedFrom: { threadId: string; stateHash: string };
  contenders: { agent: string; threadId: string }[];
};

/** Forks the thread once for each agent, and starts all forks. Refused: `AGENT_NOT_FOUND`, and what `forkThread`
 *  refuses; in both cases no contender was started. */
export async function startRace(
  engine: Engine,
  thread: ThreadRecord,
  race: RaceStart,
): Promise<Result<StartedRace, Failure>> {
  const lined = await lineUp(engine, thread, race);
  if (!lined.ok) return lined;
  const { forks, forkedFrom } = lined.value;
  for (const { thread: fork } of forks) {
    const started = await startFork(engine, fork);
    if (!started.ok) return started;
  }
  const contenders = forks.map(({ agent, thread: { threadId } }) => ({ agent, threadId }));
  return ok({ forkedFrom, contenders });
}

/** Resolves when no contender runs any more. Refused: as `startRace`. */
export async function raceThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: RaceStart & {
    signal: AbortSignal;
    onStep: (contender: { agent: string; threadId: string; steps: number }) => void;
  },
): Promise<Result<Race, Failure>> {
  const lined = await lineUp(engine, thread, opts);
  if (!lined.ok) return lined;
  const { forks, forkedFrom } = lined.value;
  const startedMs = engine.now();
  const runs = forks.map((fork) => runContender(engine, fork, { ...opts, startedMs }));
  const ended = await Promise.all(runs);
  const failed = ended.find((each) => !each.ok);
  if (failed !== undefined && !failed.ok) return failed;
  return ok({ forkedFrom, contenders: ended.flatMap((each) => (each.ok ? [each.value] : [])) });
}

type LinedUp = {
  forks: { agent: string; thread: ThreadRecord }[];
  forkedFrom: StartedRace["forkedFrom"];
};

/** A fork for each agent, none of which runs yet. */
async function lineUp(
  engine: Engine,
  thread: ThreadRecord,
  { agents, startKey, ...race }: RaceStart,
): Promise<Result<LinedUp, Failure>> {
  const settings = await readSettings(engine.root);
  if (!settings.ok) return settings;
  for (const agent of agents) {
    if (!settings.value.agents.has(agent)) return err(unknownAgent(settings.value, agent));
  }
  const forks: LinedUp["forks"] = [];
  let forkedFrom = { threadId: thread.threadId, stateHash: thread.head };
  for (const [at, agent] of agents.entries()) {
    const forked = await forkThread(engine, thread, {
      ...{ ...race, agent, bundle: null, prompt: null, run: "idle" as const },
      startKey: startKey === null ? null : `race:${at}:${startKey}`,
    });
    if (!forked.ok) return forked;
    forks.push({ agent, thread: forked.value.thread });
    forkedFrom = forked.value.forkedFrom;
  }
  return ok({ forks, forkedFrom });
}

async function runContender(
  engine: Engine,
  fork: { agent: string; thread: ThreadRecord },
  watch: {
    signal: AbortSignal;
    startedMs: number;
    onStep: (contender: { agent: string; threadId: string; steps: number }) => void;
  },
): Promise<Result<Contender, Failure>> {
  const { agent, thread } = fork;
  const { threadId } = thread;
  const runner = await startRunner(engine, threadId);
  if (!runner.ok) return runner;
  let steps = 0;
  while (true) {
    const seen = await lookAtThread(engine, threadId);
    if (seen === null) return err(removed(threadId));
    const { thread: now, status } = seen;
    if (now.stepCount - thread.stepCount > steps) {
      steps = now.stepCount - thread.stepCount;
      watch.onStep({ agent, threadId, steps });
    }
    if (status !== "running" && (status !== "queued" || restsNow(engine.root, status)))
      return ok(await contender(engine, fork, { now, status, startedMs: watch.startedMs }));
    if (watch.signal.aborted) {
      // The race was aborted; we still wait for what it stops.
      const stopped = await stopThread(engine, now, { signal: new AbortController().signal });
      if (!stopped.ok && stopped.error.code !== "TRANSITION_INVALID") return stopped;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

async function contender(
  engine: Engine,
  { agent, thread }: { agent: string; thread: ThreadRecord },
  { now, status, startedMs }: { now: ThreadRecord; status: ThreadStatus; startedMs: number },
): Promise<Contender> {
  const chain = await loadChain(engine.cas, now);
  const made = roleStates(chain).slice(thread.stepCount);
  const last = made.at(-1)?.node.payload;
  const end = endState(chain);
  return {
    agent,
    threadId: now.threadId,
    status,
    returnCode: endingOf(now)?.returnCode ?? null,
    steps: made.length,
    last:
      last === undefined
        ? null
        : { role: last.role, outcome: last.outcome ?? "ok", meta: last.meta },
    summary: endingOf(now)?.summary ?? suspensionOf(now)?.message ?? null,
    // The end node, too: it has the usage of a role that failed the thread.
    usage: [...made, ...(end === null ? [] : [end])]
      .map(({ node }) => node.payload.usage ?? null)
      .reduce(sumUsage, null),
    durationMs: Math.max(0, now.updatedAt - startedMs),
  };
}

function removed(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `contender ${threadId} was removed meanwhile`, "");
}
