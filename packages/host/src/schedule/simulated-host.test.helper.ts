/** A host whose clock is a number: the test decides when it looks and how long its threads take, and it can die at
 *  each of its effects. */
import {
  type Firing,
  type Overlap,
  ok,
  type Schedule,
  type SchedulePlan,
  type Schedules,
  type Timing,
} from "@uncaged/workflow-protocol";
import { nextDue } from "./due-times.ts";
import { firingSchedules } from "./fire-schedules.ts";

export const MINUTE: number = 60_000;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

type SimulatedThread = { key: string; startedAt: number; endsAt: number; aborted: boolean };

export type SimulatedHost = {
  threads: ReadonlyMap<string, SimulatedThread>;
  nowMs: number;
  /** Returns false when it died on the way. */
  lookAt(nowMs: number): Promise<boolean>;
  firings(): Promise<Firing[]>;
  schedule(): Promise<Schedule>;
};

export type Simulation = {
  timing: Timing;
  fromMs: number;
  overlap?: Overlap;
  catchUpMs?: number | null;
  jitterMs?: number;
  /** How long its threads take. */
  takesMs?: number;
  /** Called before and after each effect; true: the host dies there. */
  dies?: () => boolean;
};

class Died extends Error {}

export async function simulatedHost(
  schedules: Schedules,
  simulation: Simulation,
): Promise<SimulatedHost> {
  const { timing, fromMs, overlap = "skip", catchUpMs = null, jitterMs = 0 } = simulation;
  const { takesMs = 10 * MINUTE, dies = () => false } = simulation;
  const start = {
    workflow: "demo",
    prompt: "Go",
    cwd: "/",
    limits: null,
    title: null,
    labels: {},
    priority: 0,
  };
  const plan: SchedulePlan = { timing, overlap, catchUpMs, jitterMs, start };
  await schedules.add({ name: "it", plan, createdAt: fromMs, nextAt: nextDue(timing, fromMs) });
  const threads = new Map<string, SimulatedThread>();
  const ofKey = new Map<string, string>();
  let died = false;
  const effect = async <T>(body: () => Promise<T>): Promise<T> => {
    const perish = (): void => {
      died ||= dies();
      if (died) throw new Died();
    };
    perish();
    const value = await body();
    perish();
    return value;
  };
  const host = {
    threads,
    nowMs: fromMs,
    lookAt: async (nowMs: number) => {
      host.nowMs = nowMs;
      died = false;
      // A new host each time: only what is stored is remembered.
      const { look } = firingSchedules({
        schedules: {
          list: () => schedules.list(),
          open: (name) => schedules.open(name),
          settle: (request) => effect(() => schedules.settle(request)),
          move: (firing) => effect(() => schedules.move(firing)),
        },
        starter: {
          start: (_planned, key) =>
            effect(async () => {
              const known = ofKey.get(key);
              if (known !== undefined) return ok(known);
              const threadId = `thread-${threads.size}`;
              ofKey.set(key, threadId);
              const endsAt = nowMs + takesMs;
              threads.set(threadId, { key, startedAt: nowMs, endsAt, aborted: false });
              return ok(threadId);
            }),
          goesOn: async (threadId) => (threads.get(threadId)?.endsAt ?? 0) > nowMs,
          end: (threadId) =>
            effect(async () => {
              const thread = threads.get(threadId);
              if (thread !== undefined && thread.endsAt > nowMs)
                threads.set(threadId, { ...thread, endsAt: nowMs, aborted: true });
            }),
        },
        now: () => nowMs,
        say: () => undefined,
        signal: new AbortController().signal,
      });
      await look();
      return !died;
    },
    firings: async () => (await schedules.firings("it", 100_000)).reverse(),
    schedule: async () => {
      const found = await schedules.get("it");
      if (found === null) throw new Error("it is gone");
      return found;
    },
  };
  return host;
}

/** Numbers from 0 to below 1, the same ones for a seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
