import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openThreadIndex } from "./thread-index.ts";
import { heldWriteLock } from "./write-lock.ts";

test.each([
  ["by its engine", openThreadIndex],
  ["to ask for its lock", (root: string) => heldWriteLock(root, 0)],
])("an index that disappears while it is opened %s is not created again", async (_, open) => {
  const root = mkdtempSync(join(tmpdir(), "store-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const file = join(root, "index.db");
  (await openThreadIndex(root)).close();
  const opening = open(root);
  rmSync(file);
  await expect(opening).rejects.toMatchObject({ failure: { code: "STORAGE_FAILED" } });
  expect(existsSync(file)).toBe(false);
});
