import {
  FIRINGS_KEPT,
  type Firing,
  type Schedules,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { nameTaken } from "../threads/name-taken.ts";
import { firingOf, firingValues, STARTED_NOTHING } from "./firing-rows.ts";
import { all, change, changing, type Operation, one, type Perform, reading } from "./operation.ts";
import { scheduleOf } from "./schedule-rows.ts";

export function schedulesOn(perform: Perform, close: () => Promise<void>): Schedules {
  return {
    add: ({ name, plan, createdAt, nextAt }) =>
      perform(
        changing(`add schedule ${name}`, function* () {
          const values = { name, plan: JSON.stringify(plan), createdAt, nextAt };
          if ((yield* change(ADD, values)) === 0)
            throw new WorkflowError(nameTaken("schedule", name));
        }),
      ),
    get: (name) =>
      perform(
        reading(`read schedule ${name}`, function* () {
          const row = yield* one("SELECT * FROM schedules WHERE name = :name", { name });
          return row === undefined ? null : scheduleOf(row);
        }),
      ),
    list: () =>
      perform(
        reading("list the schedules", function* () {
          return (yield* all("SELECT * FROM schedules ORDER BY name")).map(scheduleOf);
        }),
      ),
    pause: ({ name, nowMs }) =>
      perform(
        changing(`pause schedule ${name}`, function* () {
          return (yield* change(PAUSE, { name, nowMs })) === 1;
        }),
      ),
    resume: ({ name, nextAt }) =>
      perform(
        changing(`resume schedule ${name}`, function* () {
          return (yield* change(RESUME, { name, nextAt })) === 1;
        }),
      ),
    remove: (name) =>
      perform(
        changing(`remove schedule ${name}`, function* () {
          yield* change("DELETE FROM firings WHERE schedule = :name", { name });
          return (yield* change("DELETE FROM schedules WHERE name = :name", { name })) === 1;
        }),
      ),
    settle: ({ name, from, nextAt, firings }) =>
      perform(
        changing(`settle schedule ${name}`, function* () {
          if ((yield* change(SETTLE, { name, expectedAt: from, nextAt })) === 0) return false;
          yield* insertFirings(name, firings);
          yield* change(FORGET, { name, kept: FIRINGS_KEPT });
          return true;
        }),
      ),
    insert: (name, firings) =>
      perform(
        changing(`record firings of schedule ${name}`, function* () {
          const known = yield* one("SELECT 1 FROM schedules WHERE name = :name", { name });
          return known === undefined ? [] : yield* insertFirings(name, firings);
        }),
      ),
    move: ({ schedule, dueAt, from, to }) =>
      perform(
        changing(`record a firing of schedule ${schedule}`, function* () {
          const { state, threadId, reason } = firingValues({ ...to, ...UNMOVED });
          const values = { schedule, dueAt, from, state, threadId, reason };
          return (yield* change(MOVE, values)) === 1;
        }),
      ),
    open: (name) =>
      perform(
        reading(`read the firings of schedule ${name}`, function* () {
          return (yield* all(OPEN, { name })).map(firingOf);
        }),
      ),
    firings: (name, limit) =>
      perform(
        reading(`read the firings of schedule ${name}`, function* () {
          return (yield* all(LATEST, { name, limit })).map(firingOf);
        }),
      ),
    close,
  };
}

/** Those that were recorded. */
function* insertFirings(schedule: string, firings: readonly Firing[]): Operation<Firing[]> {
  const recorded: Firing[] = [];
  for (const firing of firings) {
    const values = firingValues({ ...firing, schedule });
    if ((yield* change(INSERT_FIRING, values)) === 1) recorded.push(firing);
  }
  return recorded;
}

/** Values for parameters that `move` does not change. */
const UNMOVED = { schedule: "", dueAt: 0, notBefore: 0, overlap: "skip" } as const;

const ADD = `
  INSERT INTO schedules (name, plan, createdAt, nextAt) VALUES (:name, :plan, :createdAt, :nextAt)
  ON CONFLICT DO NOTHING`;

const PAUSE = "UPDATE schedules SET pausedAt = :nowMs WHERE name = :name AND pausedAt IS NULL";

const RESUME = `
  UPDATE schedules SET pausedAt = NULL, nextAt = :nextAt
  WHERE name = :name AND pausedAt IS NOT NULL`;

const SETTLE = `
  UPDATE schedules SET nextAt = :nextAt
  WHERE name = :name AND nextAt = :expectedAt AND pausedAt IS NULL`;

const INSERT_FIRING = `
  INSERT INTO firings VALUES (:schedule, :dueAt, :notBefore, :overlap, :state, :threadId, :reason)
  ON CONFLICT (schedule, dueAt) DO UPDATE SET notBefore = :notBefore, overlap = :overlap, state = :state,
    threadId = :threadId, reason = :reason
  WHERE firings.state IN (${STARTED_NOTHING})`;

const MOVE = `
  UPDATE firings SET state = :state, threadId = :threadId, reason = :reason
  WHERE schedule = :schedule AND dueAt = :dueAt AND state = :from`;

const IS_OPEN = "state IN ('waiting', 'starting', 'started')";

const OPEN = `SELECT * FROM firings WHERE schedule = :name AND ${IS_OPEN} ORDER BY dueAt`;

const LATEST = "SELECT * FROM firings WHERE schedule = :name ORDER BY dueAt DESC LIMIT :limit";

const FORGET = `
  DELETE FROM firings WHERE schedule = :name AND NOT ${IS_OPEN} AND dueAt <= (
    SELECT dueAt FROM firings WHERE schedule = :name AND NOT ${IS_OPEN}
    ORDER BY dueAt DESC LIMIT 1 OFFSET :kept)`;
