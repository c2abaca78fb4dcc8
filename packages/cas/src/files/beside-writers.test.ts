import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesOnly } from "../root/files-only.test.helper.ts";
import { threadsAt } from "../suite/threads-at.ts";
import { ASIDE } from "./files-layout.ts";

const CHILD = fileURLToPath(new URL("./beside-writers.test.child.ts", import.meta.url));
const WRITERS = 3;
const HOUR_MS = 3_600_000;

let root = "";
let writers: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cas-beside-"));
});
afterEach(async () => {
  const running = writers.filter(isRunning);
  const exits = running.map((writer) => once(writer, "exit"));
  for (const writer of running) writer.kill("SIGKILL");
  await Promise.all(exits);
  rmSync(root, { recursive: true });
});

test("collections that run constantly during writes never delete what a head needs", async () => {
  const dir = join(root, "cas");
  const acquiredAtMs = Date.now();
  writers = Array.from({ length: WRITERS }, (_, i) =>
    spawn(process.execPath, [CHILD, dir, join(root, `${i}.head`)], {
      stdio: ["pipe", "inherit", "inherit"],
    }),
  );
  const exits = Promise.all(writers.map((writer) => once(writer, "exit")));
  const heads = () => {
    const files = readdirSync(root).filter((name) => name.endsWith(".head"));
    return files.map((name) => readFileSync(join(root, name), "utf8"));
  };
  const store = filesOnly(
    dir,
    threadsAt(async () => heads(), { leasedSinceMs: acquiredAtMs }),
  );
  let [runs, dead, restored] = [0, 0, 0];
  while (writers.some(isRunning)) {
    const report = await store.collect({
      nowMs: Date.now(),
      // No grace period: only the leases protect the writers.
      graceMs: 0,
      dryRun: false,
    });
    runs += 1;
    dead += report.setAside;
    restored += report.restoredEntries;
    expect(await filesOnly(dir).check(heads())).toMatchObject({ ok: true });
    // The test proves something only if blobs really were collected while the writers used them.
    if (Math.min(runs, dead, restored) > 10) for (const writer of writers) writer.stdin?.end();
    await breathe();
  }
  expect((await exits).map(([code]) => code)).toEqual(Array(WRITERS).fill(0));
  expect(await filesOnly(dir).check(heads())).toMatchObject({
    ok: true,
    problems: [],
  });

  await purgeAll(dir, heads());
  expect(await filesOnly(dir).check(heads())).toMatchObject({
    ok: true,
    problems: [],
  });
}, 60_000);

function isRunning(writer: ChildProcess): boolean {
  return writer.exitCode === null && writer.signalCode === null;
}

/** As if the writers and their leases were gone and the grace period were over. */
async function purgeAll(dir: string, heads: string[]): Promise<void> {
  for (const name of readdirSync(join(dir, ASIDE))) {
    const longAgo = Date.now() / 1000 - 3600;
    utimesSync(join(dir, ASIDE, name), longAgo, longAgo);
  }
  const request = { nowMs: Date.now() + HOUR_MS, graceMs: 0, dryRun: false };
  const report = await filesOnly(dir, threadsAt(heads)).collect(request);
  expect(report.deletedEntries).toBeGreaterThan(0);
  expect(readdirSync(join(dir, ASIDE)).length).toBeLessThanOrEqual(1);
}
