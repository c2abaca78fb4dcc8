import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { failureFrom } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { triggersCases } from "../suite.ts";
import { openTriggers } from "./sqlite-store.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each(triggersCases)("SQLite $name", async ({ run }) => {
  const triggers = await openTriggers(root);
  await run(triggers);
  await triggers.close();
});

test("rows that another program spoiled are reported and not passed on", async () => {
  const triggers = await openTriggers(root);
  const db = new DatabaseSync(join(root, "index.db"));
  db.exec(`INSERT INTO triggers VALUES ('odd', '{"source":"elsewhere"}', 1, NULL)`);
  db.exec(`INSERT INTO watchedFiles VALUES ('odd', '"a"', 1, 1, 1, 'dreaming', NULL, NULL)`);
  db.close();
  const codeOf = (thrown: unknown): string => failureFrom(thrown, "INTERNAL").code;
  expect(await triggers.list().catch(codeOf)).toBe("STORAGE_FAILED");
  expect(await triggers.files("odd").catch(codeOf)).toBe("STORAGE_FAILED");
  await triggers.close();
});
