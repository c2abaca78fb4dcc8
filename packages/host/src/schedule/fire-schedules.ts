/** Starts what is due.
 *
 *  1. A due time becomes a firing in the transaction that moves the schedule past it: it is decided only once.
 *  2. A firing is `starting` before its thread is started, and `started` after. A firing that a crash left `starting`
 *     is started again with the same key, which finds the thread that was created then, or creates it.
 *  3. Firings of one schedule are processed in due order; schedules do not wait for each other. */
import {
  type Failure,
  type Firing,
  type FiringState,
  failureFrom,
  type PlannedStart,
  type Result,
  type Schedule,
  type Schedules,
} from "@uncaged/workflow-protocol";
import { planFirings } from "./plan-firings.ts";

/** What schedules need of threads. */
export type ThreadStarter = {
  /** Returns the thread's id. The same key starts it once. A returned failure is final, a thrown one may pass. */
  start(planned: PlannedStart, key: string): Promise<Result<string, Failure>>;
  /** Whether the thread is running or waiting. */
  goesOn(threadId: string): Promise<boolean>;
  /** Aborts it for good. */
  end(threadId: string): Promise<void>;
};

export type FiringOptions = {
  schedules: Pick<Schedules, "list" | "settle" | "open" | "move">;
  starter: ThreadStarter;
  /** Unix milliseconds. */
  now: () => number;
  /** Prints a line for people who watch the host. */
  say: (line: string) => void;
  /** Once it aborts, nothing more is started. */
  signal: AbortSignal;
};

export function firingSchedules(opts: FiringOptions): { look: () => Promise<void> } {
  const busy = new Set<string>();
  const serve = async (schedule: Schedule): Promise<void> => {
    if (schedule.pausedAt !== null || busy.has(schedule.name)) return;
    busy.add(schedule.name);
    try {
      await serveSchedule(opts, schedule);
    } catch (thrown) {
      opts.say(`schedule ${schedule.name}: ${failureFrom(thrown, "STORAGE_FAILED").message}`);
    } finally {
      busy.delete(schedule.name);
    }
  };
  return {
    look: async () => {
      await Promise.all((await opts.schedules.list()).map(serve));
    },
  };
}

async function serveSchedule(opts: FiringOptions, schedule: Schedule): Promise<void> {
  const { schedules, now, signal } = opts;
  const { name, nextAt: from } = schedule;
  const planned = planFirings(schedule, now());
  if (planned !== null && from !== null) await schedules.settle({ name, from, ...planned });
  const open = await schedules.open(name);
  const goingOn: string[] = [];
  for (const firing of open) {
    if (firing.state !== "started") continue;
    const { threadId } = firing;
    if (await opts.starter.goesOn(threadId)) goingOn.push(threadId);
    else await move(opts, firing, { state: "ended", threadId });
  }
  const begun = open.filter(({ state }) => state === "starting");
  const ready = open.filter(({ state, notBefore }) => state === "waiting" && notBefore <= now());
  for (const firing of [...begun, ...ready]) {
    if (signal.aborted) return;
    if (firing.state === "waiting") {
      const next = decide(firing, { goingOn, isLast: firing === ready.at(-1) });
      if (next === "wait") continue;
      if (!(await move(opts, firing, next)) || next.state !== "starting") continue;
    }
    // Before the start, and again after a crash: ending an ended thread does nothing.
    if (firing.overlap === "replace")
      for (const threadId of goingOn.splice(0)) await opts.starter.end(threadId);
    const started = await startFiring(opts, schedule, firing);
    if (started.ok) goingOn.push(started.value);
  }
}

type Decision = { state: "starting" } | { state: "skipped"; reason: string };

function decide(
  { overlap }: Firing,
  { goingOn, isLast }: { goingOn: readonly string[]; isLast: boolean },
): Decision | "wait" {
  const [threadId] = goingOn;
  if (overlap === "replace" && !isLast)
    return { state: "skipped", reason: "a later due time came before it was started" };
  if (threadId === undefined || overlap === "all" || overlap === "replace")
    return { state: "starting" };
  if (overlap === "queue") return "wait";
  return { state: "skipped", reason: `thread ${threadId} had not ended` };
}

/** Starts the thread of a firing that is `starting`, and records it. Returns the thread's id. */
export async function startFiring(
  { schedules, starter }: Pick<FiringOptions, "starter"> & { schedules: Pick<Schedules, "move"> },
  schedule: Schedule,
  firing: Firing,
): Promise<Result<string, Failure>> {
  const { name, plan } = schedule;
  const start = { ...plan.start, labels: { ...plan.start.labels, schedule: name } };
  const started = await starter.start(start, startKey(schedule, firing.dueAt));
  const to: FiringState = started.ok
    ? { state: "started", threadId: started.value }
    : { state: "failed", reason: started.error.message };
  await schedules.move({ schedule: name, dueAt: firing.dueAt, from: "starting", to });
  return started;
}

/** Identifies one due time of one schedule for good. */
function startKey({ name, createdAt }: Schedule, dueAt: number): string {
  return `schedule ${name} ${createdAt} ${new Date(dueAt).toISOString()}`;
}

function move(
  { schedules }: { schedules: Pick<Schedules, "move"> },
  { schedule, dueAt, state: from }: Firing,
  to: FiringState,
): Promise<boolean> {
  return schedules.move({ schedule, dueAt, from, to });
}
