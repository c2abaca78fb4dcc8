import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeContent } from "@uncaged/workflow-cas";
import type { RootStore, ThreadStore } from "@uncaged/workflow-protocol";
import { memoryLiveLog } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BehindRoot, behindRoot } from "../testing/write-behind-thread.test.helper.ts";
import { flushBeforeRelease } from "./flush-before-release.ts";

const step = encodeContent("step");

let at: BehindRoot;
let store: RootStore;
let threads: ThreadStore;
beforeEach(async () => {
  at = await behindRoot();
  store = at.open();
  threads = before(at.index.threads);
  await store.publish([step], await at.moveTo(step));
});
afterEach(() => at.close());

const isFile = () => existsSync(join(at.places.dir, `${step.hash}.txt`));
const before = (under: ThreadStore) =>
  flushBeforeRelease(under, { root: at.root, cas: store, live: memoryLiveLog() });
const release = async () => threads.release({ ...at.owner, nowMs: 2, to: { status: "idle" } });

test("a released thread has its steps in files", async () => {
  await release();
  expect([isFile(), await at.index.blobs.list()]).toEqual([true, []]);
});

test("a thread that has ended has them there before anybody sees that it has", async () => {
  const end = encodeContent("end");
  const seen: boolean[] = [];
  const watched = { ...at.index.threads, finish: async () => void seen.push(isFile()) };
  threads = before(watched);
  const move = await at.moveTo(end);
  await threads.finish({ ...move, status: "completed", returnCode: 0, summary: "" });
  expect(seen).toEqual([true]);
});

test("a root that is closed has them there", async () => {
  await store.close();
  expect(isFile()).toBe(true);
});

test("what its agents said can be read before anybody sees that a thread has stopped", async () => {
  const order: string[] = [];
  const watched = { ...at.index.threads, release: async () => order.push("released") > 0 };
  threads = flushBeforeRelease(watched, {
    root: at.root,
    cas: {
      flush: async () => {
        order.push("steps");
        return null;
      },
    },
    live: { flush: async (threadId) => void order.push(threadId) },
  });
  await release();
  expect(order).toEqual([at.owner.threadId, "steps", "released"]);
});

test("a thread whose steps cannot be written out is released anyway, says so, and loses nothing", async () => {
  const log = storagePaths(at.root).debugLog(at.owner.threadId);
  mkdirSync(join(log, ".."), { recursive: true });
  writeFileSync(at.places.dir, "no folder");
  expect(await release()).toBe(true);
  expect(readFileSync(log, "utf8")).toMatch(/"tag":"D6T0WVQ9".*STORAGE_FAILED/u);
  expect(await at.index.blobs.list()).toEqual([step.hash]);
  rmSync(at.places.dir);
  expect(await store.flush()).toBe(null);
  expect(isFile()).toBe(true);
});
