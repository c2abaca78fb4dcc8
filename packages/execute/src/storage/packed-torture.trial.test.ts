/** Writers of both kinds, a collector and movers work on one storage root at the same time, without a pause.
 *  Then the writers are killed. No blob that a head needs and no acknowledged step is ever missing. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openRootStore } from "@uncaged/workflow-cas";
import { leaseOf, type RootStore, type StoreKind } from "@uncaged/workflow-protocol";
import { type Index, openIndex } from "@uncaged/workflow-store";
import { afterEach, beforeEach, expect, test } from "vitest";

const CHILD = fileURLToPath(new URL("./packed-writers.test.child.ts", import.meta.url));
const KINDS = ["packed", "packed", "files"];
/** One direction, the other, and both at once. */
const MOVES: readonly (readonly StoreKind[])[] = [["packed"], ["files"], ["packed", "files"]];

let root = "";
let index: Index;
let store: RootStore;
let writers: { child: ChildProcess; acknowledged: number }[] = [];
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "packed-torture-"));
  index = await openIndex(root);
  const { blobs: table, threads } = index;
  store = openRootStore({ dir: join(root, "cas"), table, threads, kind: "packed" });
});
afterEach(async () => {
  await killWriters();
  await index.threads.close();
  rmSync(root, { recursive: true });
});

test("collections and moves during writes never take what a head needs", async () => {
  startWriters();
  while ((await index.threads.list({ withLease: true })).length < KINDS.length) await breathe();
  let [runs, dead, restored, moved] = [0, 0, 0, 0];
  while (writers.some(isRunning)) {
    const report = await collect();
    const reports = await Promise.all((MOVES[runs % 3] ?? []).map((kind) => store.move(kind)));
    runs += 1;
    dead += report.setAside;
    restored += report.restoredEntries;
    moved += reports.reduce((sum, { moved: now }) => sum + now, 0);
    expect(await check()).toMatchObject({ ok: true, problems: [] });
    // The test proves something only if blobs really were collected while the writers used them.
    if (Math.min(runs, dead, restored, moved) > 5)
      for (const { child } of writers) child.stdin?.end();
    await breathe();
  }
  expect(writers.map(({ child }) => child.exitCode)).toEqual(KINDS.map(() => 0));
  await Promise.all([store.move("packed"), store.move("files"), collect()]);
  expect(await check()).toMatchObject({ ok: true, problems: [] });
  await releaseAll();
  expect((await collect()).deletedEntries).toBeGreaterThan(0);
  expect(await check()).toMatchObject({ ok: true, problems: [] });
}, 120_000);

test("writers that are killed leave every step that they acknowledged", async () => {
  startWriters();
  while (writers.some(({ acknowledged }) => acknowledged < 25)) await breathe();
  await killWriters();
  expect(await check()).toMatchObject({ ok: true, problems: [] });
  for (const [no, { acknowledged }] of writers.entries()) {
    const thread = await index.threads.get(String(no).padStart(26, "0"));
    // The last one may have been published just before it could be acknowledged.
    expect([acknowledged, acknowledged + 1]).toContain(thread?.stepCount);
  }
  await store.move("packed");
  expect(await check()).toMatchObject({ ok: true, problems: [] });
}, 120_000);

test("on a full disk a packed step is refused, and the earlier ones stay", async () => {
  // The kernel's own limit, in blocks of 512 bytes: a longer file cannot be written.
  startWriters("ulimit -f 6144;");
  await Promise.all(writers.filter(isRunning).map(({ child }) => once(child, "close")));
  for (const [no, { child, acknowledged }] of writers.entries()) {
    expect([child.exitCode, child.signalCode]).toEqual([7, null]);
    expect(acknowledged).toBeGreaterThan(0);
    const thread = await index.threads.get(String(no).padStart(26, "0"));
    expect(thread?.stepCount).toBe(acknowledged);
  }
  expect(await check()).toMatchObject({ ok: true, problems: [] });
  await store.move("packed");
  expect(await check()).toMatchObject({ ok: true, problems: [] });
}, 120_000);

function startWriters(before = ""): void {
  writers = KINDS.map((kind, no) => {
    const args = [CHILD, root, kind, String(no)];
    const command = ["-c", `${before} exec "$@"`, "sh", process.execPath, ...args];
    const child = spawn("sh", command, { stdio: ["pipe", "pipe", "inherit"] });
    const writer = { child, acknowledged: 0 };
    child.stdout.on("data", (lines: Buffer) => {
      writer.acknowledged = Number(lines.toString().trim().split("\n").at(-1));
    });
    return writer;
  });
}

async function killWriters(): Promise<void> {
  const running = writers.filter(isRunning);
  const closed = running.map(({ child }) => once(child, "close"));
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(closed);
}

function isRunning({ child }: { child: ChildProcess }): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Ends the leases of the killed writers. */
async function releaseAll(): Promise<void> {
  for (const thread of await index.threads.list({ withLease: true })) {
    const { fence = 0 } = leaseOf(thread) ?? {};
    const { threadId } = thread;
    await index.threads.release({ threadId, fence, nowMs: Date.now(), to: { status: "idle" } });
  }
}

async function heads(): Promise<string[]> {
  const threads = await index.threads.roots();
  return threads.flatMap(({ startHash, head }) => [startHash, head]);
}

async function check() {
  return store.check(await heads());
}

/** No grace period: only the leases protect the writers. */
function collect() {
  return store.collect({ nowMs: Date.now(), graceMs: 0, dryRun: false });
}
