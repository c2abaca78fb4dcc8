import type { Limits } from "./limits.ts";
import type { ThreadLabels } from "./thread-record.ts";

/** The thread that a schedule or a trigger starts. */
export type PlannedStart = {
  workflow: string;
  prompt: string;
  /** Absolute directory in which the roles work. */
  cwd: string;
  /** In a git worktree of its own, on a branch that begins at `base` (null: HEAD); left out: where the workflow says. */
  worktree?: { base: string | null } | undefined;
  /** null: those of the workflow. */
  limits: Limits | null;
  /** null: the first line of its prompt stands for it. */
  title: string | null;
  labels: ThreadLabels;
  /** Of queued threads, that with the highest starts first. */
  priority: number;
  /** Left out: the default pool. */
  pool?: string | undefined;
  /** Labels that its worker must have; left out: none. */
  needs?: readonly string[] | undefined;
  /** Of the thread. Left out, or 0: a person planned it; otherwise one more than that of the thread whose step did. */
  depth?: number | undefined;
};

/** When a schedule is due. */
export type Timing =
  /** By local time in an IANA time zone. */
  | { kind: "cron"; cron: string; zone: string }
  /** At this interval, counted from `fromMs`, whatever local clocks do. */
  | { kind: "every"; everyMs: number; fromMs: number }
  | { kind: "at"; atMs: number };

/** What happens at a due time while a thread of the schedule has not ended. */
export const OVERLAPS = ["skip", "queue", "replace", "all"] as const;
export type Overlap = (typeof OVERLAPS)[number];

export type SchedulePlan = {
  timing: Timing;
  overlap: Overlap;
  /** Due times that were missed are made up for when they are no older than this. null: only the last one, and for an
   *  hour. */
  catchUpMs: number | null;
  /** Each firing waits for a part of this, chosen by its due time. */
  jitterMs: number;
  start: PlannedStart;
};

export type Schedule = {
  name: string;
  plan: SchedulePlan;
  /** Unix milliseconds, like all times here. With the name, it is in the start keys: a schedule of the same name that
   *  is made later starts threads of its own. */
  createdAt: number;
  /** null: it is not paused. */
  pausedAt: number | null;
  /** The next undecided due time; all earlier ones are settled. null: there will be none. */
  nextAt: number | null;
};

/** What happened at a due time. */
export type FiringState =
  /** Until `notBefore`, or until the threads before it have ended. */
  | { state: "waiting" }
  /** Decided, and certain to be done: its start key ensures that it is done once. */
  | { state: "starting" }
  | { state: "started"; threadId: string }
  /** Its thread has ended, was removed, or was stopped. */
  | { state: "ended"; threadId: string }
  /** `reason`: for people. */
  | { state: "skipped" | "missed" | "failed"; reason: string };

/** One due time of a schedule, which names it. */
export type Firing = {
  schedule: string;
  dueAt: number;
  /** `dueAt` and its part of the jitter. */
  notBefore: number;
  overlap: Overlap;
} & FiringState;

/** Firings that a host still has to handle. */
export function isOpenFiring({ state }: Pick<Firing, "state">): boolean {
  return state === "waiting" || state === "starting" || state === "started";
}

/** How many closed firings of a schedule are remembered. */
export const FIRINGS_KEPT = 1_000;

/** Schedules and what happened at their due times.
 *
 *  1. Every change is one durable transaction, made whole or not at all.
 *  2. `settle` and `move` change only what the caller saw: of several who decide the same thing, one does. */
export type Schedules = {
  /** Throws `TARGET_EXISTS` when the name is taken. */
  add(schedule: Omit<Schedule, "pausedAt">): Promise<void>;
  get(name: string): Promise<Schedule | null>;
  /** By name. */
  list(): Promise<Schedule[]>;
  /** Returns false for a schedule that does not exist or is already paused. */
  pause(request: { name: string; nowMs: number }): Promise<boolean>;
  /** What was due meanwhile is settled by `nextAt`. Returns false for one that does not exist or is not paused. */
  resume(request: { name: string; nextAt: number | null }): Promise<boolean>;
  /** Forgets it and its firings; their threads stay. */
  remove(name: string): Promise<boolean>;

  /** Moves `nextAt`, and records what is to happen for the due times in between. Forgets the oldest closed firings
   *  beyond `FIRINGS_KEPT`. Returns false, and changes nothing, when `nextAt` is no longer `from`, or the schedule is
   *  paused or gone. */
  settle(request: {
    name: string;
    from: number;
    nextAt: number | null;
    firings: readonly Firing[];
  }): Promise<boolean>;
  /** Records firings beside the plan: by hand, or for due times of the past. One that has been recorded is only
   *  replaced when it started nothing. Returns those that were recorded; none when the schedule is gone. */
  insert(name: string, firings: readonly Firing[]): Promise<Firing[]>;
  /** Returns false when it is no longer in the state `from`. */
  move(firing: {
    schedule: string;
    dueAt: number;
    from: FiringState["state"];
    to: FiringState;
  }): Promise<boolean>;
  /** The open firings of one schedule, in the order in which they were due. */
  open(name: string): Promise<Firing[]>;
  /** The firings of one schedule, latest first. */
  firings(name: string, limit: number): Promise<Firing[]>;

  close(): Promise<void>;
};
