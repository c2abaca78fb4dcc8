import {
  blobTableCases,
  dispatchCases,
  schedulesCases,
  taskCases,
  threadStoreCases,
  triggersCases,
} from "@uncaged/workflow-store/suite";
import { test } from "vitest";
import type { DatabaseOptions } from "../database/database.ts";
import { testRoot } from "../testing/test-root.test.helper.ts";
import {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./open-index.ts";

/** The cases say what time it is. */
async function testedRoot(): Promise<DatabaseOptions> {
  return { ...(await testRoot()), clock: (nowMs) => nowMs };
}

test.each(threadStoreCases)("a store in PostgreSQL $name", async ({ run }) => {
  const { threads } = await openPostgresIndex(await testedRoot());
  await run(threads);
  await threads.close();
});

test.each(dispatchCases)("a queue in PostgreSQL $name", async ({ run }) => {
  const index = await openPostgresIndex(await testedRoot());
  await run(index);
  await index.threads.close();
});

test.each(blobTableCases)("blobs in PostgreSQL $name", async ({ run }) => {
  const index = await openPostgresIndex(await testedRoot());
  await run({ blobs: index.blobs, threads: index.threads });
  await index.threads.close();
});

test.each(schedulesCases)("schedules in PostgreSQL $name", async ({ run }) => {
  const schedules = await openPostgresSchedules(await testedRoot());
  await run(schedules);
  await schedules.close();
});

test.each(triggersCases)("triggers in PostgreSQL $name", async ({ run }) => {
  const triggers = await openPostgresTriggers(await testedRoot());
  await run(triggers);
  await triggers.close();
});

test.each(taskCases)("tasks in PostgreSQL $name", async ({ run }) => {
  const tasks = await openPostgresTasks(await testedRoot());
  await run(tasks);
  await tasks.close();
});
