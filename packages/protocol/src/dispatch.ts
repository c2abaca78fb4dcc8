import type { QueuedThread } from "./thread-record.ts";
import type { LeaseRef } from "./thread-store.ts";

/** What the threads of a storage root may do at the same time, and use in total. */
export type RootLimits = {
  /** Threads that run; null: any number. */
  threads: number | null;
  /** Threads of a workflow that run, by its name. */
  workflows: { readonly [workflow: string]: number };
  /** Runs of an agent of `config.agents`, by its name. */
  agents: { readonly [agent: string]: number };
  providers: { readonly [provider: string]: ProviderLimits };
  budgetPerDay: DayBudget | null;
};

export type ProviderLimits = {
  /** Runs of roles that begin; null: any number. */
  requestsPerMinute: number | null;
  /** Input and output tokens that steps report; null: any number. */
  tokensPerMinute: number | null;
  /** The agents of `config.agents` that call this provider. */
  agents: readonly string[];
};

export type DayBudget = {
  /** Input and output tokens; null: any number. */
  tokens: number | null;
  costUsd: number | null;
  /** The day begins at midnight in this IANA time zone. */
  zone: string;
};

/** Why a thread cannot run now. `paused`: a person closed the queue. */
export type LimitKey =
  | "threads"
  | "budget"
  | "paused"
  | `workflow:${string}`
  | `agent:${string}`
  | `provider:${string}`
  /** No worker that asked serves the pool, or has the label; or it has as many threads as it runs at once. */
  | `pool:${string}`
  | `label:${string}`
  | "worker";

/** A provider that has turned us away, or an agent whose provider is not known: no run of these agents begins before
 *  `untilMs`, Unix milliseconds. */
export type Hold = {
  key: Extract<LimitKey, `agent:${string}` | `provider:${string}`>;
  agents: readonly string[];
  untilMs: number;
};

/** A thread's place in the queue. */
export type QueuePlace = {
  /** Unix milliseconds. */
  since: number;
  /** What there was no room for when it was queued; empty: it was queued on request. */
  for: readonly LimitKey[];
  /** It does not start earlier. Unix milliseconds; null: as soon as there is room. */
  notBefore: number | null;
};

/** `againAt`: when to ask again, Unix milliseconds; null: when something else ends. */
export type Full = { ok: false; full: readonly LimitKey[]; againAt: number | null };
export type Taken = { ok: true } | Full;

/** Amounts of a budget: input and output tokens together, and US dollars. */
export type BudgetUse = { tokens: number; costUsd: number };

/** What the workers of a coordinating step may use together; null: any amount. */
export type SharedBudget = { [bound in keyof BudgetUse]: number | null };

/** Whether a worker's call may begin. `spent` is null while calls under way may use all that is left: ask again. */
export type CallVerdict = { ok: true } | { ok: false; spent: SpentShare | null };
export type SpentShare = { bound: keyof BudgetUse; limit: number; used: number };

/** Which threads wait for room, and what uses it.
 *
 *  1. A thread takes room with its lease (`ThreadStore.acquire`), and a run of an agent takes some with the fence of
 *     that lease. So the room of an owner that dies is free again when its lease runs out or is replaced.
 *  2. Room under several limits is taken all together or not at all.
 *  3. Each operation is one transaction, which no other sees in part. */
export type Dispatch = {
  /** Queues a thread that nobody runs, or whose owner has the fence `replaces` and is known to be dead. One that is
   *  queued keeps its place. Throws `THREAD_NOT_FOUND`, `LEASE_HELD`, or `TRANSITION_INVALID` when it has ended or
   *  waits for a person. */
  want(job: {
    threadId: string;
    replaces: number | null;
    /** null: whichever limits leave no room now. */
    for: readonly LimitKey[] | null;
    notBefore: number | null;
    nowMs: number;
    /** Who would run it, as in `ThreadStore.acquire`: what it lacks counts among the limits. */
    worker?: string | null;
  }): Promise<void>;
  /** Takes a thread out of the queue, so that it is idle. A thread that is not queued stays as it is. */
  unwant(threadId: string, nowMs: number): Promise<void>;
  /** The queued threads in the order of their turns: by priority, then those that other threads wait for, then by
   *  age. */
  list(): Promise<QueuedThread[]>;
  /** The queued threads that may start now, in that order. `besides`: threads that are on their way to start. `worker`:
   *  only those that it may take; left out: whoever may. `except`: threads that whoever asks cannot run. */
  next(request: {
    besides: readonly string[];
    nowMs: number;
    worker?: string;
    except?: readonly string[];
  }): Promise<string[]>;

  /** Replaces all limits. They apply from the next start on: what runs continues. */
  limit(limits: RootLimits): Promise<void>;
  limits(): Promise<RootLimits>;
  /** Closes the queue, or opens it: nothing starts while it is closed. Opening it also ends all holds. */
  pause(nowMs: number): Promise<void>;
  resume(): Promise<void>;
  /** Since when it is closed, Unix milliseconds; null: it is open. */
  pausedSince(): Promise<number | null>;

  /** Gives the room of a running thread to others for as long as it only waits. */
  lend(owner: LeaseRef): Promise<void>;
  /** Takes the room back. False: there is none now; from then on no other thread starts before this one. */
  takeBack(owner: LeaseRef & { nowMs: number }): Promise<boolean>;
  /** Room for one run of an agent, under its own limit, those of its providers and the budget of the day. `part` names
   *  the run within the thread. */
  take(request: LeaseRef & { part: string; agent: string; nowMs: number }): Promise<Taken>;
  /** Gives that room back. A room of the thread that is still lent then is wanted back: whoever lent it for the agent did
   *  not come to take it. */
  free(request: LeaseRef & { part: string }): Promise<void>;
  /** Keeps agents from running until then: `take` refuses them, and `next` no thread that waits for the key. One that
   *  lasts longer than before takes the place of the one before. Runs under way continue. */
  hold(hold: Hold & { nowMs: number }): Promise<void>;
  /** Those that have not ended, by key. */
  holds(nowMs: number): Promise<Hold[]>;
  /** Whether anything is left of the day's budget. */
  budget(nowMs: number): Promise<Taken>;

  /** Sets what the child threads of `threadId` may use together while it makes the step after `step` steps. What children
   *  had used when this was first set for the step is not counted, except that of `workers`, which belong to it. Returns
   *  what was used of it so far. */
  shareBudget(request: {
    threadId: string;
    step: number;
    budget: SharedBudget;
    workers: readonly string[];
  }): Promise<BudgetUse>;
  /** A call of a worker is about to begin: one step of the thread, or a member of a group. Counts it as under way, until
   *  `endCall` or for as long as the lease, if the budget that it shares allows that. `used`: by attempts of the thread
   *  that no step records yet. A thread that shares no budget may always begin. */
  beginCall(
    call: LeaseRef & { part: string; used: BudgetUse; nowMs: number },
  ): Promise<CallVerdict>;
  /** What a call under way has used so far, with `used` as it began. Kept when its lease is lost. */
  noteCall(call: LeaseRef & { part: string; used: BudgetUse }): Promise<void>;
  /** A call has become a step, which records what it used. */
  endCall(call: LeaseRef & { part: string; used: BudgetUse }): Promise<void>;
};

export const NO_LIMITS: RootLimits = {
  threads: null,
  workflows: {},
  agents: {},
  providers: {},
  budgetPerDay: null,
};

/** What a thread waits for, in words: `agent claude`. */
export function limitInWords(key: LimitKey): string {
  if (key === "paused") return "the queue to be resumed";
  if (key === "budget") return "the budget of the day";
  if (key === "worker") return "a worker with room";
  if (key.startsWith("pool:") || key.startsWith("label:"))
    return `a worker with ${key.replace(":", " ")}`;
  return key.replace(":", " ");
}
