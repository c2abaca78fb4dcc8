/** Schedules in the index of a storage root. */
import { FIRINGS_KEPT, type Schedules, WorkflowError } from "@uncaged/workflow-protocol";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { nameTaken } from "../threads/name-taken.ts";
import { firingOf, firingValues, STARTED_NOTHING } from "./firing-rows.ts";
import { openThreadIndex } from "./thread-index.ts";

/** Creates the index if the root is new. Throws what `openIndex` throws. */
export async function openSchedules(root: string): Promise<Schedules> {
  // Loaded on demand: commands that read no schedule do not pay for the schemas.
  const { scheduleOf } = await import("./schedule-rows.ts");
  const index = await openThreadIndex(root);
  const insert = (schedule: string, firings: Parameters<Schedules["insert"]>[1]) =>
    firings.filter(
      (firing) => index.sql(INSERT_FIRING).run(firingValues({ ...firing, schedule })).changes === 1,
    );
  const read = <T>(what: string, body: () => T): Promise<T> =>
    retryWhileBusy(() => index.read(what, body));
  const change = <T>(what: string, body: () => T): Promise<T> =>
    retryWhileBusy(() => index.transaction(what, body));
  return {
    add: ({ name, plan, createdAt, nextAt }) =>
      change(`add schedule ${name}`, () => {
        const values = { name, plan: JSON.stringify(plan), createdAt, nextAt };
        if (index.sql(ADD).run(values).changes === 0)
          throw new WorkflowError(nameTaken("schedule", name));
      }),
    get: (name) =>
      read(`read schedule ${name}`, () => {
        const row = index.sql("SELECT * FROM schedules WHERE name = :name").get({ name });
        return row === undefined ? null : scheduleOf(row);
      }),
    list: () =>
      read("list the schedules", () =>
        index.sql("SELECT * FROM schedules ORDER BY name").all().map(scheduleOf),
      ),
    pause: ({ name, nowMs }) =>
      change(`pause schedule ${name}`, () => index.sql(PAUSE).run({ name, nowMs }).changes === 1),
    resume: ({ name, nextAt }) =>
      change(
        `resume schedule ${name}`,
        () => index.sql(RESUME).run({ name, nextAt }).changes === 1,
      ),
    remove: (name) =>
      change(`remove schedule ${name}`, () => {
        index.sql("DELETE FROM firings WHERE schedule = :name").run({ name });
        return index.sql("DELETE FROM schedules WHERE name = :name").run({ name }).changes === 1;
      }),
    settle: ({ name, from, nextAt, firings }) =>
      change(`settle schedule ${name}`, () => {
        if (index.sql(SETTLE).run({ name, from, nextAt }).changes === 0) return false;
        insert(name, firings);
        index.sql(FORGET).run({ name, kept: FIRINGS_KEPT });
        return true;
      }),
    insert: (name, firings) =>
      change(`record firings of schedule ${name}`, () => {
        const known = index.sql("SELECT 1 FROM schedules WHERE name = :name").get({ name });
        return known === undefined ? [] : insert(name, firings);
      }),
    move: ({ schedule, dueAt, from, to }) =>
      change(`record a firing of schedule ${schedule}`, () => {
        const { state, threadId, reason } = firingValues({ ...to, ...UNMOVED });
        const values = { schedule, dueAt, from, state, threadId, reason };
        return index.sql(MOVE).run(values).changes === 1;
      }),
    open: (name) =>
      read(`read the firings of schedule ${name}`, () =>
        index.sql(OPEN).all({ name }).map(firingOf),
      ),
    firings: (name, limit) =>
      read(`read the firings of schedule ${name}`, () =>
        index.sql(LATEST).all({ name, limit }).map(firingOf),
      ),
    close: async () => index.close(),
  };
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
  WHERE name = :name AND nextAt = :from AND pausedAt IS NULL`;

const INSERT_FIRING = `
  INSERT INTO firings VALUES (:schedule, :dueAt, :notBefore, :overlap, :state, :threadId, :reason)
  ON CONFLICT DO UPDATE SET notBefore = :notBefore, overlap = :overlap, state = :state,
    threadId = :threadId, reason = :reason
  WHERE state IN (${STARTED_NOTHING})`;

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
