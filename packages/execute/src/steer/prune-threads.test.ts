import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdoptedThread } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "../storage/engine.ts";
import { openEngine } from "../storage/open-engine.ts";
import { prunableThreads, pruneThreads } from "./prune-threads.ts";

const DAY_MS = 86_400_000;
const HASH = "EYHPV6X8XHTCS";
const id = (letter: string): string => `01M7Z9WNCVHA4DP8Y98XX3ZSR${letter}`;

let root: string;
let engine: Engine;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "uwf-prune-"));
  engine = await openEngine({ root, packagesBase: import.meta.url });
});
afterEach(async () => {
  await engine.store.close();
  rmSync(root, { recursive: true });
});

type Sample = {
  parent?: string;
  ageDays?: number;
  labels?: Record<string, string>;
  ended?: boolean;
};

async function has(threads: { readonly [letter: string]: Sample }): Promise<void> {
  await engine.store.adopt(
    Object.entries(threads).map(([letter, sample]): AdoptedThread => {
      const { parent, ageDays = 9, labels = {}, ended = true } = sample;
      const facts = {
        ...{ threadId: id(letter), workflow: "sample", bundleHash: HASH, startHash: HASH },
        ...{ head: HASH, headSha256: "0".repeat(64), stepCount: 0, cwd: "/", limits: null },
        ...{ depth: parent === undefined ? 0 : 1, agent: null, title: null, labels },
        parentThread: parent === undefined ? null : id(parent),
        ...{ forkedFrom: null, startedAt: 1, createdAt: letter.charCodeAt(0) },
        updatedAt: engine.now() - ageDays * DAY_MS,
      };
      return ended
        ? { ...facts, status: "failed", returnCode: 1, summary: "no" }
        : { ...facts, status: "idle", pendingInput: null };
    }),
  );
}

async function prunable(days: number): Promise<string[]> {
  const threads = await prunableThreads(engine, days * DAY_MS);
  return threads.map(({ threadId }) => threadId.slice(-1));
}

it("removes what has ended, is old enough and is not to be kept", async () => {
  await has({
    A: {},
    B: { ageDays: 3 },
    C: { ended: false },
    D: { labels: { keep: "" } },
    E: { labels: { team: "keep" } },
  });
  expect(await prunable(5)).toEqual(["E", "A"]);
  const pruned = await pruneThreads(engine, 5 * DAY_MS);
  expect(pruned.map(({ result }) => result.ok)).toEqual([true, true]);
  const left = (await engine.store.list({})).map(({ threadId }) => threadId.slice(-1));
  expect(left).toEqual(["D", "C", "B"]);
});

it("removes parents and children together, parents first, or keeps them together", async () => {
  await has({
    A: {},
    B: { parent: "A" },
    C: {},
    D: { parent: "C", ageDays: 1 },
    E: { labels: { keep: "" } },
    F: { parent: "E" },
    G: { parent: "Z" },
  });
  expect(await prunable(5)).toEqual(["A", "G", "B"]);
});

it("continues after a thread that cannot be removed", async () => {
  await has({ A: {}, B: {} });
  const { remove } = engine.store;
  const refusing: Engine = {
    ...engine,
    store: {
      ...engine.store,
      remove: async (request) => {
        if (request.threadId === id("B")) throw new Error("the disk is gone");
        return remove(request);
      },
    },
  };
  const pruned = await pruneThreads(refusing, DAY_MS);
  expect(pruned.map(({ threadId, result }) => [threadId.slice(-1), result.ok])).toEqual([
    ["B", false],
    ["A", true],
  ]);
});
