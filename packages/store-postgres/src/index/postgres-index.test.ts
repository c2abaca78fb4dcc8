import {
  blobTableCases,
  dispatchCases,
  schedulesCases,
  taskCases,
  threadStoreCases,
  triggersCases,
} from "@uncaged/workflow-store/suite";
import { test } from "vitest";
import { testRoot } from "../testing/test-root.test.helper.ts";
import {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./open-index.ts";

test.each(threadStoreCases)("a store in PostgreSQL $name", async ({ run }) => {
  const { threads } = await openPostgresIndex(await testRoot());
  await run(threads);
  await threads.close();
});

test.each(dispatchCases)("a queue in PostgreSQL $name", async ({ run }) => {
  const index = await openPostgresIndex(await testRoot());
  await run(index);
  await index.threads.close();
});

test.each(blobTableCases)("blobs in PostgreSQL $name", async ({ run }) => {
  const index = await openPostgresIndex(await testRoot());
  await run({ blobs: index.blobs, threads: index.threads });
  await index.threads.close();
});

test.each(schedulesCases)("schedules in PostgreSQL $name", async ({ run }) => {
  const schedules = await openPostgresSchedules(await testRoot());
  await run(schedules);
  await schedules.close();
});

test.each(triggersCases)("triggers in PostgreSQL $name", async ({ run }) => {
  const triggers = await openPostgresTriggers(await testRoot());
  await run(triggers);
  await triggers.close();
});

test.each(taskCases)("tasks in PostgreSQL $name", async ({ run }) => {
  const tasks = await openPostgresTasks(await testRoot());
  await run(tasks);
  await tasks.close();
});
