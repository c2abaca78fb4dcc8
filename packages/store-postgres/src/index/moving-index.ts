/** A root in PostgreSQL that is being moved elsewhere, or to here. */
import {
  changing,
  decodeHistoryLine,
  type HistoryRecords,
  type Index,
  type IndexTable,
  type Perform,
  rootIndex,
} from "@uncaged/workflow-store/backend";
import { type Database, openDatabase } from "../database/database.ts";
import { numberIn, textIn } from "../database/fields.ts";
import { holdDatabase } from "../database/held-database.ts";
import { type MoveState, readMoveState } from "../database/move-state.ts";
import { carryOut } from "./carry-out.ts";
import { readHistory } from "./history.ts";
import { indexOn, performing } from "./open-index.ts";

/** Closing the index closes the database. */
export type MovingRoot = {
  database: Database;
  index: Index;
  perform: Perform;
  records(): Promise<HistoryRecords>;
};

/** A root that nobody else changes until it is closed. Only `leave` keeps what is done with it. */
export type LeavingRoot = MovingRoot & { leave(place: string): Promise<void> };

export type ArrivingRoot = MovingRoot & {
  state: MoveState;
  isOccupied(): Promise<boolean>;
  /** Marks it as not whole, unless it has anything: then false. `place`: where it comes from. */
  arrive(place: string): Promise<boolean>;
  addHistory(records: HistoryRecords): Promise<void>;
  /** Numbers that the server gives to rows go on after those that were copied. */
  settle(tables: readonly IndexTable[]): Promise<void>;
  /** It is whole: whoever asks may open it. */
  arrived(): Promise<void>;
};

type At = { url: string; root: string };

/** Throws `STORAGE_FAILED`, `STORAGE_NEWER`. */
export async function openPostgresLeaving(at: At): Promise<LeavingRoot> {
  const database = await holdDatabase(at);
  const perform: Perform = (deed) => carryOut(database, deed);
  const index = rootIndex({
    perform,
    commit: perform,
    history: () => readHistory(database),
    shrink: async () => {},
    close: database.close,
  });
  return { database, index, perform, records: () => recordsIn(database), leave: database.leave };
}

/** The same root as it is, for whoever only asks whether it was moved. Throws what `openPostgresLeaving` throws. */
export async function postgresMoveState(at: At): Promise<MoveState> {
  const database = await openDatabase({ ...at, moving: true });
  try {
    return await readMoveState(database);
  } finally {
    await database.close();
  }
}

/** Throws what `openPostgresLeaving` throws. */
export async function openPostgresArriving(at: At): Promise<ArrivingRoot> {
  const database = await openDatabase({ ...at, moving: true });
  const perform = performing(database);
  return {
    database,
    index: indexOn(database),
    perform,
    state: await readMoveState(database),
    records: () => recordsIn(database),
    isOccupied: async () => {
      const { rows } = await database.query("look for a root", { text: OCCUPIED });
      return rows.length > 0;
    },
    arrive: (place) =>
      database.transaction("begin a move", "exclusive", async ({ query }) => {
        const { rows } = await query({ text: OCCUPIED });
        if (rows.length > 0) return false;
        const text = "INSERT INTO moves (state, place) VALUES ('arriving', $1)";
        await query({ text, values: [place] });
        return true;
      }),
    addHistory: ({ ends, removals }) =>
      perform(
        changing("copy the history", function* () {
          for (const line of ends) yield { kind: "history", line };
          for (const { bundleHash, ...removal } of removals)
            yield { kind: "history", removed: { ...removal, bundleHash: bundleHash ?? "" } };
        }),
      ),
    settle: async (tables) => {
      for (const { name, key, columns } of tables) {
        const [column, ...others] = key;
        if (column === undefined || others.length > 0) continue;
        if (columns.find((each) => each.name === column)?.type !== "INTEGER") continue;
        await database.query("go on with the numbers of rows", {
          text: `SELECT setval(pg_get_serial_sequence('${name.toLowerCase()}', '${column.toLowerCase()}'),
            (SELECT coalesce(max(${column}), 0) + 1 FROM ${name}), false)
            WHERE pg_get_serial_sequence('${name.toLowerCase()}', '${column.toLowerCase()}') IS NOT NULL`,
        });
      }
    },
    arrived: async () => {
      await database.query("end a move", {
        text: "DELETE FROM moves WHERE state = 'arriving'",
      });
    },
  };
}

/** What a root that is in use has at least one of. Limits are those of whoever looked at it. */
const OCCUPIED = `
  SELECT 1 FROM threads UNION ALL SELECT 1 FROM blobs UNION ALL SELECT 1 FROM workflow_versions
  UNION ALL SELECT 1 FROM schedules UNION ALL SELECT 1 FROM triggers UNION ALL SELECT 1 FROM tasks
  UNION ALL SELECT 1 FROM ended UNION ALL SELECT 1 FROM moves LIMIT 1`;

async function recordsIn(database: Database): Promise<HistoryRecords> {
  const ends = await database.query("read the history", { text: ENDS });
  const removals = await database.query("read the history", { text: REMOVALS });
  return {
    ends: ends.rows.flatMap((row) => decodeHistoryLine(textIn(row, "line")) ?? []),
    removals: removals.rows.map((row) => ({
      threadId: textIn(row, "threadId"),
      removedAt: numberIn(row, "removedAt"),
      bundleHash: decodeHistoryLine(textIn(row, "line"))?.bundleHash ?? null,
    })),
  };
}

const ENDS = "SELECT line FROM ended ORDER BY finishedAt, threadId";
const REMOVALS = `
  SELECT threadId AS "threadId", removedAt AS "removedAt", coalesce(line, '') AS line
  FROM removed LEFT JOIN ended USING (threadId) ORDER BY removedAt, threadId`;
