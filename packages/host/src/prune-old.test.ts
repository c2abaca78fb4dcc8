import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, openEngine } from "@uncaged/workflow-execute";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pruneOld } from "./prune-old.ts";

const DAY_MS = 86_400_000;
const HASH = "EYHPV6X8XHTCS";

let root = "";
let engine: Engine;
let monotonicMs = 0;
let said: string[] = [];
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "uwf-retention-"));
  engine = await openEngine({ root, packagesBase: import.meta.url });
  monotonicMs = 0;
  said = [];
});
afterEach(async () => {
  await engine.store.close();
  rmSync(root, { recursive: true });
});

async function ended(letter: string, ageDays: number, labels = {}): Promise<void> {
  await engine.store.adopt([
    {
      ...{ threadId: `01M7Z9WNCVHA4DP8Y98XX3ZSR${letter}`, workflow: "sample", bundleHash: HASH },
      ...{ startHash: HASH, head: HASH, headSha256: "0".repeat(64), stepCount: 0, cwd: "/" },
      ...{ limits: null, depth: 0, agent: null, title: null, labels, parentThread: null },
      ...{ forkedFrom: null, startedAt: 1, createdAt: 1, status: "completed", returnCode: 0 },
      ...{ summary: "done", updatedAt: engine.now() - ageDays * DAY_MS },
    },
  ]);
}

async function left(): Promise<string> {
  const threads = await engine.store.list({});
  return threads
    .map(({ threadId }) => threadId.slice(-1))
    .sort()
    .join("");
}

const retain = (days: number) =>
  writeFileSync(join(root, "workflow.yaml"), `config:\n  retention: { days: ${days} }\n`, {
    mode: 0o600,
  });

it("removes what is older than the configuration allows, now and once an hour", async () => {
  await ended("A", 40);
  await ended("B", 40, { keep: "" });
  await ended("C", 3);
  const { look } = pruneOld(
    engine,
    (line) => said.push(line),
    () => monotonicMs,
  );
  await look();
  expect(await left()).toBe("ABC");
  retain(30);
  await look();
  expect(await left()).toBe("ABC");
  monotonicMs += 3_600_000;
  await look();
  expect(await left()).toBe("BC");
  expect(said).toEqual(["removed 1 thread that ended more than 30 days ago"]);
  retain(1);
  monotonicMs += 3_600_000;
  await look();
  expect(await left()).toBe("B");
});

it("says what is wrong with the configuration, and removes nothing", async () => {
  await ended("A", 40);
  writeFileSync(join(root, "workflow.yaml"), "config: [\n", { mode: 0o600 });
  const { look } = pruneOld(
    engine,
    (line) => said.push(line),
    () => monotonicMs,
  );
  await expect(look()).rejects.toMatchObject({ failure: { code: "CONFIG_INVALID" } });
  expect(await left()).toBe("A");
});
