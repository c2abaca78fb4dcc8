import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { threadStoreCases } from "../suite.ts";
import { openThreadStore } from "./sqlite-store.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each(threadStoreCases)("a store in SQLite $name", async ({ run }) => {
  const store = await openThreadStore(root);
  await run(store);
  await store.close();
});
