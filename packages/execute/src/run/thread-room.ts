/** The room that a thread takes while a process runs it: its own place, and one for each run of an agent.
 *
 *  1. Room under several limits is taken together or not at all, and given back when the agent has run. If that
 *     fails, it is given back with the lease.
 *  2. A thread in which everything under way waits (for children, for agents) lends its room to others, so parents
 *     cannot keep their children from running.
 *  3. If everything waits for agents, the thread stops: it returns to the queue, and a host starts it when there is
 *     room. Without a host nobody would, so it stays and asks again.
 *  4. The runs it gives up have not begun, so nothing is lost.
 *  5. A thread that is to go on elsewhere is queued before its next step, or at once: then the step under way is lost.
 *  6. When an agent is turned away by its provider, no agent of that provider begins before it may come back. The thread
 *     that was turned away does not give up: its step has begun. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AdapterFn,
  type AgentEvent,
  agentFaultOf,
  type Failure,
  type Full,
  failure,
  type LeaseRef,
  limitInWords,
  type QueuePlace,
  type Taken,
  timerMs,
} from "@uncaged/workflow-protocol";
import type { ProviderCaller } from "@uncaged/workflow-register";
import { runningHost } from "../processes/host-file.ts";
import type { Engine } from "../storage/engine.ts";

const ASK_EVERY_MS = 250;
/** It may take a minute, or a day. */
const ASK_LATER_MS = 2_000;
/** Whatever a provider asks for. */
const LONGEST_HOLD_MS = 86_400_000;

export type ThreadRoom = {
  /** The thread's own, which also aborts with the reason `FULL` when the thread has to be queued. */
  signal: AbortSignal;
  /** What it is queued for. */
  waitsFor: () => Omit<QueuePlace, "since">;
  kind: RoomKind;
  /** How many steps are under way from now on: one, or some members of a group. */
  underWay: (count: number) => void;
  /** Lends the thread's room for as long as everything under way waits. */
  whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Waits before another attempt. */
  standBack: (wait: { delayMs: number; signal: AbortSignal }) => Promise<void>;
  /** Wraps the adapter so that it waits for room before each run. */
  limited: (caller: ProviderCaller, adapter: AdapterFn) => AdapterFn;
  budget: () => Promise<Taken>;
  /** Whether the thread is to go on elsewhere before its next step. */
  isHandedOver: () => boolean;
  /** Ends the run early: the thread is queued, or the command that runs it fails. */
  giveUp: (found: Full) => void;
};

/** When a thread is to go on elsewhere: another worker takes it from the queue. */
export type HandOver = {
  /** Before its next step. */
  soon: AbortSignal;
  /** Now: its agents are ended. */
  now: AbortSignal;
};

/** `or nothing`: a person waits for this process, which therefore never waits itself. */
export type RoomKind = "or queue" | "or nothing";

/** Why a run ends early on its own: there is no room for what comes next. */
export const FULL = "full";

/** It waits for nothing but another worker. */
const ELSEWHERE: Full = { ok: false, full: [], againAt: null };

export function threadRoom(
  engine: Pick<Engine, "root" | "dispatch" | "now">,
  { threadId, fence }: LeaseRef,
  {
    kind,
    signal: outer,
    handOver,
  }: { kind: RoomKind; signal: AbortSignal; handOver?: HandOver | undefined },
): ThreadRoom {
  const owner = { threadId, fence };
  const { dispatch, now } = engine;
  const rest = new AbortController();
  const signal = AbortSignal.any([outer, rest.signal]);
  let place: Omit<QueuePlace, "since"> = { for: [], notBefore: null };
  let underWay = 1;
  let waiting = 0;
  let forAgents = 0;
  let parts = 0;
  /** Steps of which an agent has run, by the object that all attempts share. */
  const begun = new WeakSet<object>();
  let isLent = false;
  /** One change after the other; each decides by the state in which it begins. */
  let turn: Promise<void> = Promise.resolve();

  const giveUp = ({ full, againAt }: Full): void => {
    place = { for: full, notBefore: againAt };
    rest.abort(FULL);
  };
  if (handOver?.now.aborted) giveUp(ELSEWHERE);
  else handOver?.now.addEventListener("abort", () => giveUp(ELSEWHERE), { once: true, signal });
  const settle = (): Promise<void> => {
    turn = turn.then(async () => {
      const shouldLend = waiting >= underWay;
      if (shouldLend === isLent) return;
      if (shouldLend) await dispatch.lend(owner);
      else
        while (!(await dispatch.takeBack({ ...owner, nowMs: now() })))
          await sleep(ASK_EVERY_MS, undefined, { signal });
      isLent = shouldLend;
    });
    return turn;
  };
  const whileWaiting = async <T>(wait: () => Promise<T>): Promise<T> => {
    waiting += 1;
    try {
      await settle();
      return await wait();
    } finally {
      waiting -= 1;
      await settle();
    }
  };

  /** Returns once there is room. */
  const forRoom = async (
    ask: () => Promise<Taken>,
    { until, mayGiveUp }: { until: AbortSignal; mayGiveUp: boolean },
  ): Promise<void> => {
    const first = await ask();
    if (first.ok) return;
    forAgents += 1;
    try {
      await whileWaiting(async () => {
        let pauseMs = ASK_EVERY_MS;
        for (let taken: Taken = first; !taken.ok; taken = await ask()) {
          const isHosted = runningHost(engine.root) !== null;
          if (mayGiveUp && forAgents >= underWay && (kind === "or nothing" || isHosted))
            giveUp(taken);
          until.throwIfAborted();
          await sleep(pauseMs, undefined, { signal: until });
          pauseMs = Math.min(2 * pauseMs, ASK_LATER_MS);
        }
      });
    } finally {
      forAgents -= 1;
    }
  };

  return {
    signal,
    kind,
    waitsFor: () => place,
    underWay: (count) => {
      underWay = count;
      // A failure here is reported by the next run that waits.
      settle().catch(() => undefined);
    },
    whileWaiting,
    standBack: ({ delayMs, signal: until }) =>
      whileWaiting(async () => {
        await sleep(timerMs(delayMs), undefined, { signal: until }).catch(() => undefined);
        until.throwIfAborted();
      }),
    limited: ({ agent, provider, agents }, adapter) => {
      const key =
        provider === null ? (`agent:${agent}` as const) : (`provider:${provider}` as const);
      const turnedAway = async (askedMs: number): Promise<void> => {
        const nowMs = now();
        const untilMs = nowMs + Math.min(askedMs, LONGEST_HOLD_MS);
        // Without it, others are turned away themselves.
        await dispatch.hold({ key, agents, untilMs, nowMs }).catch(() => undefined);
      };
      const limited: AdapterFn = (prompt, schema) => {
        const run = adapter(prompt, schema);
        return async (ctx, runtime) => {
          parts += 1;
          const part = String(parts);
          const ask = (): Promise<Taken> => dispatch.take({ ...owner, part, agent, nowMs: now() });
          const until = AbortSignal.any([runtime.signal, signal]);
          await forRoom(ask, { until, mayGiveUp: !begun.has(runtime.step) });
          begun.add(runtime.step);
          const emit = (event: AgentEvent): void => {
            if (event.type === "retry" && (event.retryAfterMs ?? 0) > 0)
              void turnedAway(event.retryAfterMs ?? 0);
            runtime.emit(event);
          };
          try {
            return await run(ctx, { ...runtime, emit });
          } catch (thrown) {
            const askedMs = agentFaultOf(thrown)?.retryAfterMs ?? 0;
            if (askedMs > 0) await turnedAway(askedMs);
            throw thrown;
          } finally {
            // If that fails, the room is given back with the lease.
            await dispatch.free({ ...owner, part }).catch(() => undefined);
          }
        };
      };
      return adapter.holdsPolicy === true
        ? Object.assign(limited, { holdsPolicy: true } as const)
        : limited;
    },
    budget: async () => (handOver?.soon.aborted ? ELSEWHERE : dispatch.budget(now())),
    isHandedOver: () => handOver?.soon.aborted === true,
    giveUp,
  };
}

/** Why a command that runs a thread itself gave up. */
export function noRoom(threadId: string, { for: full }: Pick<QueuePlace, "for">): Failure {
  return failure(
    "LIMIT_REACHED",
    `thread ${threadId} cannot continue now: it waits for ${full.length === 0 ? "its turn" : full.map(limitInWords).join(", ")}`,
    "see what waits, and for what: uncaged-workflow queue",
  );
}
