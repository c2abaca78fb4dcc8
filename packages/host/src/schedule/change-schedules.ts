/** What people do to schedules. */
import { type Engine, startDepth } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  type Firing,
  failure,
  type Overlap,
  ok,
  type Result,
  type Schedule,
  type SchedulePlan,
  type Schedules,
} from "@uncaged/workflow-protocol";
import { checkNew, findNamed, refusalOf } from "../names.ts";
import { dueTimes, nextDue } from "./due-times.ts";
import { startFiring } from "./fire-schedules.ts";
import { firingAt } from "./plan-firings.ts";
import { threadStarter } from "./thread-starter.ts";

type Where = { engine: Engine; schedules: Schedules };

/** `USAGE` for an invalid name or a time that has passed, `WORKFLOW_NOT_FOUND`, `TARGET_EXISTS`. */
export async function addSchedule(
  { engine, schedules }: Where,
  { name, plan }: { name: string; plan: SchedulePlan },
): Promise<Result<Schedule, Failure>> {
  const checked = await checkNew(engine, { name, workflow: plan.start.workflow });
  if (!checked.ok) return checked;
  const createdAt = engine.now();
  const nextAt = nextDue(plan.timing, createdAt);
  if (nextAt === null)
    return err(failure("USAGE", "that time has passed", "give a time in the future"));
  const schedule = { name, plan, createdAt, nextAt };
  const refusal = await refusalOf(schedules.add(schedule));
  return refusal === null ? ok({ ...schedule, pausedAt: null }) : err(refusal);
}

/** `SCHEDULE_NOT_FOUND`. */
export function findSchedule(
  schedules: Pick<Schedules, "get" | "list">,
  name: string,
): Promise<Result<Schedule, Failure>> {
  return findNamed("schedule", schedules, name);
}

/** The schedule fires nothing until it is resumed. Pausing it twice changes nothing. */
export async function pauseSchedule(
  { engine, schedules }: Where,
  name: string,
): Promise<Result<Schedule, Failure>> {
  await schedules.pause({ name, nowMs: engine.now() });
  return findSchedule(schedules, name);
}

/** What was due while it was paused is not made up for. */
export async function resumeSchedule(
  { engine, schedules }: Where,
  name: string,
): Promise<Result<Schedule, Failure>> {
  const found = await findSchedule(schedules, name);
  if (!found.ok) return found;
  await schedules.resume({ name, nextAt: nextDue(found.value.plan.timing, engine.now()) });
  return findSchedule(schedules, name);
}

export async function removeSchedule(
  { schedules }: Where,
  name: string,
): Promise<Result<Schedule, Failure>> {
  const found = await findSchedule(schedules, name);
  if (found.ok) await schedules.remove(name);
  return found;
}

/** Starts its thread now, whenever it is due and whatever is under way. Returns the thread's id. `asker`: the thread whose
 *  step asks; null: none. */
export async function runSchedule(
  { engine, schedules }: Where,
  { name, asker }: { name: string; asker: string | null },
): Promise<Result<string, Failure>> {
  const found = await findSchedule(schedules, name);
  if (!found.ok) return found;
  const { workflow, depth: planned = 0 } = found.value.plan.start;
  const depth = await startDepth(engine, { starter: asker, workflow });
  if (!depth.ok) return depth;
  const firing = await recordedNow(schedules, found.value, engine.now());
  if (firing === null) return findSchedule(schedules, name).then(notThere);
  // A crash from here on leaves a firing that the next host starts.
  const starter = threadStarter(engine, new AbortController().signal);
  const { plan } = found.value;
  const start = { ...plan.start, depth: Math.max(planned, depth.value) };
  return startFiring({ schedules, starter }, { ...found.value, plan: { ...plan, start } }, firing);
}

/** Records a separate firing, `starting`; null: the schedule is gone. */
async function recordedNow(
  schedules: Schedules,
  schedule: Schedule,
  nowMs: number,
): Promise<Firing | null> {
  for (let dueAt = nowMs; (await schedules.get(schedule.name)) !== null; dueAt += 1) {
    const firing = { ...firingAt(schedule, dueAt), overlap: "all", state: "starting" } as const;
    const [recorded] = await schedules.insert(schedule.name, [firing]);
    if (recorded !== undefined) return recorded;
  }
  return null;
}

function notThere(found: Result<Schedule, Failure>): Result<never, Failure> {
  return found.ok
    ? err(failure("SCHEDULE_NOT_FOUND", `schedule ${found.value.name} was replaced meanwhile`, ""))
    : found;
}

/** More at once is probably a mistake. */
const MAX_BACKFILL = 1_000;

/** Fires the past due times that started nothing, oldest first. Returns them. */
export async function backfillSchedule(
  { engine, schedules }: Where,
  { name, from, to, overlap }: { name: string; from: number; to: number; overlap: Overlap },
): Promise<Result<Firing[], Failure>> {
  const found = await findSchedule(schedules, name);
  if (!found.ok) return found;
  const upTo = Math.min(to, engine.now());
  const { timing } = found.value.plan;
  const due = dueTimes(timing, { from, upTo, atMost: MAX_BACKFILL + 1 });
  if (due.length > MAX_BACKFILL)
    return err(
      failure(
        "USAGE",
        `${name} was due more than ${MAX_BACKFILL} times in that time`,
        "choose a shorter period",
      ),
    );
  const firings = due.map((dueAt) => ({
    ...firingAt(found.value, dueAt),
    notBefore: dueAt,
    overlap,
  }));
  return ok(await schedules.insert(name, firings));
}
