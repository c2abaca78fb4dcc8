import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { failureFrom } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleTask } from "../suite/task-cases.ts";
import { taskCases } from "../suite.ts";
import { openTasks } from "./sqlite-store.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each(taskCases)("SQLite $name", async ({ run }) => {
  const tasks = await openTasks(root);
  await run(tasks);
  await tasks.close();
});

test("rows that another program spoiled are reported and not passed on", async () => {
  const tasks = await openTasks(root);
  await tasks.add(sampleTask("a"), { who: null, nowMs: 1 });
  const db = new DatabaseSync(join(root, "index.db"));
  db.exec("UPDATE tasks SET state = 'DREAMING'; UPDATE taskMessages SET type = 'poem'");
  db.close();
  const codeOf = (thrown: unknown): string => failureFrom(thrown, "INTERNAL").code;
  expect(await tasks.list(null).catch(codeOf)).toBe("STORAGE_FAILED");
  const request = { repository: null, after: 0, limit: 9 };
  expect(await tasks.messages(request).catch(codeOf)).toBe("STORAGE_FAILED");
  await tasks.close();
});
