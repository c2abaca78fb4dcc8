import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeContent, type RootStore } from "@uncaged/workflow-cas";
import type { ThreadStore } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BehindRoot, behindRoot } from "./behind-thread.test.helper.ts";
import { restInFiles } from "./rest-in-files.ts";

const step = encodeContent("step");

let at: BehindRoot;
let store: RootStore;
let threads: ThreadStore;
beforeEach(async () => {
  at = await behindRoot();
  store = at.open();
  threads = restInFiles(at.index.threads, { root: at.root, behind: store.behind });
  await store.publish([step], await at.moveTo(step));
});
afterEach(() => at.close());

const isFile = () => existsSync(join(at.places.dir, `${step.hash}.txt`));
const release = async () => threads.release({ ...at.tenure, nowMs: 2, to: { status: "idle" } });

test("a thread that is given up has its steps in files", async () => {
  await release();
  expect([isFile(), await at.index.blobs.list()]).toEqual([true, []]);
});

test("a thread that has ended has them there before anybody sees that it has", async () => {
  const end = encodeContent("end");
  const seen: boolean[] = [];
  const watched = { ...at.index.threads, finish: async () => void seen.push(isFile()) };
  threads = restInFiles(watched, { root: at.root, behind: store.behind });
  const move = await at.moveTo(end);
  await threads.finish({ ...move, status: "completed", returnCode: 0, summary: "" });
  expect(seen).toEqual([true]);
});

test("a root that is closed has them there", async () => {
  threads = restInFiles(
    { ...at.index.threads, close: async () => {} },
    { root: at.root, behind: store.behind },
  );
  await threads.close();
  expect(isFile()).toBe(true);
});

test("a thread whose steps cannot be written out rests all the same, says so, and loses nothing", async () => {
  const log = storagePaths(at.root).debugLog(at.tenure.threadId);
  mkdirSync(join(log, ".."), { recursive: true });
  writeFileSync(at.places.dir, "no folder");
  expect(await release()).toBe(true);
  expect(readFileSync(log, "utf8")).toMatch(/"tag":"D6T0WVQ9".*STORAGE_FAILED/u);
  expect(await at.index.blobs.list()).toEqual([step.hash]);
  rmSync(at.places.dir);
  expect(await store.behind?.settle()).toBe(null);
  expect(isFile()).toBe(true);
});

test("where rows stay rows, the threads are as they were", () => {
  expect(restInFiles(at.index.threads, { root: at.root, behind: null })).toBe(at.index.threads);
});
