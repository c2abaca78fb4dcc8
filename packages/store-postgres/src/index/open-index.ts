import type { Schedules, TaskStore, Triggers } from "@uncaged/workflow-protocol";
import {
  type Index,
  type Perform,
  rootIndex,
  schedulesOn,
  tasksOn,
  triggersOn,
} from "@uncaged/workflow-store/backend";
import { type Database, type DatabaseOptions, openDatabase } from "../database/database.ts";
import { carryOut } from "./carry-out.ts";
import { readHistory } from "./history.ts";
import { publishing, type Told } from "./publish.ts";

/** Opens the index of a root, creating it if the root is new. Throws what `openDatabase` throws. */
export async function openPostgresIndex(options: DatabaseOptions): Promise<Index> {
  return indexOn(await openDatabase(options));
}

/** The same on an open database, which is closed with it. */
export function indexOn(database: Database): Index {
  const perform = performing(database);
  const index = rootIndex({
    perform,
    commit: perform,
    history: () => readHistory(database),
    shrink: async () => {
      const text = `VACUUM ${database.schema}.blobs, ${database.schema}.asideBlobs`;
      await database.query("shrink the index", { text, bare: true });
    },
    close: database.close,
  });
  let told: Told = null;
  const write = publishing(database, index.blobs.write, (news) => {
    told = news;
  });
  const isBudgetFree = (): boolean =>
    told !== null && !told.hasBudget && performance.now() - told.atMs < NEWS_MS;
  return {
    ...index,
    blobs: { ...index.blobs, write },
    dispatch: {
      ...index.dispatch,
      // Asked between two steps.
      budget: async (nowMs) => (isBudgetFree() ? { ok: true } : index.dispatch.budget(nowMs)),
    },
    threads: {
      ...index.threads,
      advance: async (move) => {
        const done = await write({ rows: [], replacing: [], move });
        return done.kind === "written" ? done.signals : [];
      },
    },
  };
}

/** The worker tasks of the same index. Throws what `openDatabase` throws. */
export async function openPostgresTasks(options: DatabaseOptions): Promise<TaskStore> {
  const database = await openDatabase(options);
  return tasksOn(performing(database), database.close);
}

/** The schedules of the same index. Throws what `openDatabase` throws. */
export async function openPostgresSchedules(options: DatabaseOptions): Promise<Schedules> {
  const database = await openDatabase(options);
  return schedulesOn(performing(database), database.close);
}

/** The triggers of the same index. Throws what `openDatabase` throws. */
export async function openPostgresTriggers(options: DatabaseOptions): Promise<Triggers> {
  const database = await openDatabase(options);
  return triggersOn(performing(database), database.close);
}

/** How long what a step was told counts: a budget that somebody sets meanwhile holds from the step after the next. */
const NEWS_MS = 1_000;

export function performing(database: Database): Perform {
  return (deed) => carryOut(database, deed);
}
