import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadStore } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refuses } from "../suite/refuses.ts";
import { ownedThread, sampleMove } from "../suite/sample-threads.ts";
import { openThreadStore } from "./sqlite-store.ts";

let root: string;
let bundle: string;
let store: ThreadStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
  bundle = join(root, "bundles", "D4KP4Y6MRRVJV");
  store = await openThreadStore(root);
});
afterEach(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

const NOON = Date.UTC(2026, 3, 23, 12);
const DONE = { status: "completed", returnCode: 0, summary: "done" } as const;

test("ends and removals are lines of a file of their day", async () => {
  const lease = await ownedThread(store, 1);
  const { threadId } = lease;
  await store.finish({ ...sampleMove(lease, 1), ...DONE, nowMs: NOON });
  await store.remove({ threadId, replaces: null, nowMs: NOON + 1 });
  const [ended, removed, rest] = (
    await readFile(join(bundle, "history", "2026-04-23.jsonl"), "utf8")
  ).split("\n");
  expect(ended).toMatch(new RegExp(`^{"threadId":"${threadId}","workflow":"solve-issue",`));
  expect(removed).toBe(`{"threadId":"${threadId}","removedAt":${NOON + 1}}`);
  expect(rest).toBe("");
});

test("an end or a removal that cannot be recorded does not happen", async () => {
  const lease = await ownedThread(store, 1);
  const { threadId, fence } = lease;
  await mkdir(bundle, { recursive: true });
  await writeFile(join(bundle, "history"), "a file where the folder should be");
  const end = { ...sampleMove(lease, 1), ...DONE };
  await refuses(store.finish(end), "STORAGE_FAILED", join(bundle, "history"));
  const removal = { threadId, replaces: fence, nowMs: NOON };
  await refuses(store.remove(removal), "STORAGE_FAILED", join(bundle, "history"));
  expect(await store.get(threadId)).toMatchObject({ status: "running", lease: { fence } });
  await rm(join(bundle, "history"));
  await store.finish(end);
  expect(await store.get(threadId)).toMatchObject(DONE);
});
