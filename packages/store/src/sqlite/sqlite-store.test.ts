import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { dispatchCases, threadStoreCases } from "../suite.ts";
import { openIndex, openThreadStore } from "./sqlite-store.ts";

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

test.each(dispatchCases)("a queue in SQLite $name", async ({ run }) => {
  const index = await openIndex(root);
  await run(index);
  await index.threads.close();
});
