import {
  blobTableCases,
  dispatchCases,
  schedulesCases,
  taskCases,
  threadStoreCases,
  triggersCases,
} from "@uncaged/workflow-store/suite";
import { beforeAll, beforeEach, test } from "vitest";
import type { DatabaseOptions } from "../database/database.ts";
import { emptyRoot } from "../testing/empty-root.test.helper.ts";
import { testRoot } from "../testing/test-root.ts";
import {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./open-index.ts";

/** The cases say what time it is. */
const clock = (nowMs: number): number => nowMs;

let at: DatabaseOptions;
beforeAll(async () => {
  at = { ...(await testRoot()), clock };
});
beforeEach(() => emptyRoot(at));

test.each(threadStoreCases)("a store in PostgreSQL $name", async ({ run }) => {
  const { threads } = await openPostgresIndex(at);
  await run(threads);
  await threads.close();
});

test.each(dispatchCases)("a queue in PostgreSQL $name", async ({ run }) => {
  const index = await openPostgresIndex(at);
  await run(index);
  await index.threads.close();
});

test.each(blobTableCases)("blobs in PostgreSQL $name", async ({ run }) => {
  const index = await openPostgresIndex(at);
  await run({ blobs: index.blobs, threads: index.threads });
  await index.threads.close();
});

test.each(schedulesCases)("schedules in PostgreSQL $name", async ({ run }) => {
  const schedules = await openPostgresSchedules(at);
  await run(schedules);
  await schedules.close();
});

test.each(triggersCases)("triggers in PostgreSQL $name", async ({ run }) => {
  const triggers = await openPostgresTriggers(at);
  await run(triggers);
  await triggers.close();
});

test.each(taskCases)("tasks in PostgreSQL $name", async ({ run }) => {
  const tasks = await openPostgresTasks(at);
  await run(tasks);
  await tasks.close();
});
