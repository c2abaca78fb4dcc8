import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { failureFrom } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { schedulesCases } from "../suite.ts";
import { openSchedules } from "./sqlite-store.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each(schedulesCases)("SQLite $name", async ({ run }) => {
  const schedules = await openSchedules(root);
  await run(schedules);
  await schedules.close();
});

test("rows that another program spoiled are reported and not passed on", async () => {
  const schedules = await openSchedules(root);
  const db = new DatabaseSync(join(root, "index.db"));
  db.exec(`INSERT INTO schedules VALUES ('odd', '{"timing":"never"}', 1, NULL, NULL)`);
  db.exec("INSERT INTO firings VALUES ('odd', 1, 1, 'skip', 'dreaming', NULL, NULL)");
  db.close();
  const codeOf = (thrown: unknown): string => failureFrom(thrown, "INTERNAL").code;
  expect(await schedules.list().catch(codeOf)).toBe("STORAGE_FAILED");
  expect(await schedules.firings("odd", 1).catch(codeOf)).toBe("STORAGE_FAILED");
  await schedules.close();
});
