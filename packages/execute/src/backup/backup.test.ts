import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256Hex } from "@uncaged/workflow-cas";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tarHeader } from "../archive/tar-header.ts";
import { openTar } from "../archive/tar-reader.ts";
import { writeTar } from "../archive/tar-writer.ts";
import {
  addThread,
  BUNDLE,
  ENDING,
  STEPS,
  sampleRoot,
} from "../provenance/sample-root.test.helper.ts";
import { collectStorage } from "../storage/collect-storage.ts";
import type { Engine } from "../storage/engine.ts";
import { openEngine } from "../storage/open-engine.ts";
import { verifyThread } from "../verify/verify-thread.ts";
import { backUp } from "./back-up.ts";
import { invalidBackup } from "./backup-layout.ts";
import { copiedHistory, historyFiles, historyLengths } from "./copied-history.ts";
import { restoreBackup } from "./restore.ts";

const ENDED = "01KAJ2Z6PVX0000000000000AA";
const RUNNING = "01KAJ2Z6PVX0000000000000AB";
const PAUSING = "01KAJ2Z6PVX0000000000000AC";

let dir = "";
let root = "";
let file = "";
let engine: Engine;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "backup-"));
  root = join(dir, "root");
  file = join(dir, "root.tar");
  engine = await openEngine({ root, packagesBase: import.meta.url });
  // Called only for the bundle, which it stores on disk.
  await sampleRoot(root);
  const { cas, store } = engine;
  for (const [threadId, steps] of [
    [ENDED, [...STEPS, ENDING]],
    [RUNNING, STEPS],
    [PAUSING, STEPS.slice(0, 1)],
  ] as const)
    await addThread({ cas, store }, { threadId, steps, parent: null });
  await writeFile(join(root, "workflow.yaml"), "config:\n  maxDepth: 4\n", { mode: 0o600 });
  await writeFile(join(root, ".env"), "KEY=secret\n", { mode: 0o600 });
});
afterEach(async () => {
  await engine.store.close();
  await rm(dir, { recursive: true, force: true });
});

async function backup(secrets: "with" | "without" = "without") {
  await rm(file, { force: true });
  const done = await backUp(engine, { file, secrets });
  if (!done.ok) throw new Error(done.error.message);
  return done.value;
}

const restored = (to = join(dir, "copy")) =>
  restoreBackup({ file, root: to, nowMs: 1_800_000_000_000 });

/** Opens the restored root for the duration of a call. */
async function inCopy<T>(use: (copy: Engine) => Promise<T>): Promise<T> {
  const copy = await openEngine({ root: join(dir, "copy"), packagesBase: import.meta.url });
  try {
    return await use(copy);
  } finally {
    await copy.store.close();
  }
}

async function acquire(threadId: string): Promise<void> {
  const request = { threadId, process: ownIdentity(), ttlMs: 60_000, nowMs: Date.now() };
  await engine.store.acquire({ ...request, replaces: null });
}

describe("a backup", () => {
  it("is restored with every thread, version and setting, and each is proved", async () => {
    const made = await backup();
    expect(made).toMatchObject({ file, threads: 3, bundles: 1 });
    expect(await restored()).toMatchObject({ ok: true, value: { threads: 3, blobs: made.blobs } });
    expect(existsSync(join(dir, "copy.restoring"))).toBe(false);
    expect(await readFile(join(dir, "copy", "workflow.yaml"), "utf8")).toContain("maxDepth: 4");
    await inCopy(async (copy) => {
      for (const threadId of [ENDED, RUNNING, PAUSING]) {
        const thread = await copy.store.get(threadId);
        expect(thread).toEqual(await engine.store.get(threadId));
        if (thread === null) throw new Error("it is lost");
        expect(await verifyThread(copy, thread)).toMatchObject({ ok: true, problems: [] });
      }
    });
  });

  it("holds packed blobs, too, and those moved while it is written", async () => {
    await engine.cas.move("packed");
    const moving = {
      ...engine,
      cas: {
        ...engine.cas,
        // The copied index has rows; blobs that it lacks are being moved to files or back.
        get: async (hash: string) => {
          await engine.cas.move("packed");
          return engine.cas.get(hash);
        },
      },
    };
    expect((await backup()).threads).toBe(3);
    await engine.cas.move("files");
    await rm(file);
    expect(await backUp(moving, { file, secrets: "without" })).toMatchObject({ ok: true });
    expect(await restored()).toMatchObject({ ok: true, value: { threads: 3 } });
  });

  it("takes no owner along: what ran is idle, or paused if that was asked for", async () => {
    await acquire(RUNNING);
    await engine.store.signal(RUNNING, "kill", 1);
    await acquire(PAUSING);
    await engine.store.signal(PAUSING, "pause", 1);
    await backup();
    await restored();
    await inCopy(async ({ store }) => {
      expect(await store.get(RUNNING)).toMatchObject({ status: "idle" });
      expect(await store.signals([RUNNING])).toEqual([[]]);
      expect(await store.get(PAUSING)).toMatchObject({ status: "paused" });
    });
    expect(await engine.store.get(RUNNING)).toMatchObject({ status: "running" });
  });

  it("leaves secrets out unless they are asked for", async () => {
    await backup();
    await restored();
    expect(existsSync(join(dir, "copy", ".env"))).toBe(false);
    expect((await readFile(file)).includes("KEY=secret")).toBe(false);
    await backup("with");
    await restored(join(dir, "with"));
    expect(await readFile(join(dir, "with", ".env"), "utf8")).toBe("KEY=secret\n");
  });

  it("has what its threads need, though they are removed and collected meanwhile", async () => {
    let collecting: Promise<unknown> | null = null;
    const removing = {
      ...engine,
      cas: {
        ...engine.cas,
        get: async (hash: string) => {
          collecting ??= (async () => {
            for (const threadId of [ENDED, RUNNING, PAUSING])
              await engine.store.remove({ threadId, nowMs: 5_000, replaces: null });
            // The second run deletes what the first one quarantined.
            const later = { ...engine, now: () => Date.now() + 60_000 };
            for (const each of [engine, later])
              await collectStorage(each, { dryRun: false, graceMs: 0 });
          })();
          // Long enough for two collections of a few blobs; if it is too short, the test covers less, but still passes.
          await Promise.race([collecting, sleep(500)]);
          return engine.cas.get(hash);
        },
      },
    };
    expect(await backUp(removing, { file, secrets: "without" })).toMatchObject({ ok: true });
    await collecting;
    expect(await engine.cas.list()).toEqual([]);
    expect(await restored()).toMatchObject({ ok: true, value: { threads: 3 } });
  }, 30_000);

  it("has no history of threads that its index does not know", async () => {
    const history = join(root, "bundles", BUNDLE.hash, "history");
    const line = (threadId: string, more: object = {}) =>
      `${JSON.stringify({ threadId, ...more })}\n`;
    const [earlier, later] = [ENDED.replace("AA", "BA"), ENDED.replace("AA", "BB")];
    await mkdir(history);
    await writeFile(join(history, "2026-01-01.jsonl"), line(earlier));
    const before = await historyLengths(root);
    // From here on the index is being copied while threads end.
    const removal = line(later, { removedAt: 2 });
    const torn = '{"threadId":"';
    for (const day of ["01", "02"])
      await appendFile(
        join(history, `2026-01-${day}.jsonl`),
        `${line(later)}${line(ENDED)}${removal}${torn}`,
      );
    const copied = async (path: string) =>
      (await copiedHistory(root, path, { before, knows: (id) => id === ENDED })).toString();
    const [first = "", second = ""] = await historyFiles(root, BUNDLE.hash);
    expect(await copied(first)).toBe(`${line(earlier)}${line(ENDED)}${removal}`);
    expect(await copied(second)).toBe(`${line(ENDED)}${removal}`);
    expect((await backup()).bundles).toBe(1);
    await restored();
    const path = join(dir, "copy", first);
    expect(await readFile(path, "utf8")).toContain(line(earlier));
  });

  it("is not written over a file, and leaves nothing when a blob is missing", async () => {
    await backup();
    expect(await backUp(engine, { file, secrets: "without" })).toMatchObject({
      error: { code: "TARGET_EXISTS" },
    });
    const thread = await engine.store.get(RUNNING);
    await engine.cas.delete(thread?.head ?? "");
    const other = join(dir, "other.tar");
    await expect(backUp(engine, { file: other, secrets: "without" })).rejects.toMatchObject({
      failure: { code: "CAS_MISSING", message: expect.stringContaining("nothing was backed up") },
    });
    expect((await readdir(dir)).sort()).toEqual(["root", "root.tar"]);
    expect(existsSync(join(root, ".backup"))).toBe(false);
  });
});

describe("a restore", () => {
  const copyIsUntouched = async () => {
    expect((await readdir(dir)).filter((name) => name.startsWith("copy"))).toEqual([]);
  };

  it("refuses a root that is not empty, and takes an empty one", async () => {
    await backup();
    expect(await restored(root)).toMatchObject({ error: { code: "TARGET_EXISTS" } });
    await mkdir(join(dir, "copy"));
    expect(await restored()).toMatchObject({ ok: true });
  });

  it("replaces what one that was killed left", async () => {
    await backup();
    const left = join(dir, "copy.restoring", "root");
    await mkdir(join(left, "cas"), { recursive: true });
    await writeFile(join(left, "index.db"), "half of an index");
    await writeFile(join(left, "workflow.yaml"), "half");
    expect(await restored()).toMatchObject({ ok: true, value: { threads: 3 } });
    expect(existsSync(join(dir, "copy.restoring"))).toBe(false);
  });

  it("refuses a file that was cut or has a changed bit, and leaves nothing", async () => {
    await backup();
    const whole = await readFile(file);
    const starts: number[] = [];
    const tar = await openTar(file, invalidBackup);
    if (!tar.ok) throw new Error(tar.error.message);
    for await (const entry of tar.value.entries(() => Number.MAX_SAFE_INTEGER))
      if (entry.ok) starts.push(entry.value.at - 512, entry.value.at);
    await tar.value.close();
    // Each header, the first byte of each content, and a place in between.
    for (const at of [...starts, ...starts.map((start) => start + 100), whole.length - 1]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file, changed);
      expect(await restored(), `byte ${at}`).toMatchObject({ error: { code: "BACKUP_INVALID" } });
      await writeFile(file, whole.subarray(0, at));
      expect(await restored(), `cut at ${at}`).toMatchObject({ error: { code: "BACKUP_INVALID" } });
    }
    await copyIsUntouched();
  }, 120_000);

  it.each([
    ["a path that leads out of the root", "../outside"],
    ["a path that leads out of a folder", "cas/../../outside.txt"],
    ["an absolute path", "/etc/outside"],
    ["a file that a root does not have", "host.json"],
    ["packages", "node_modules/x/index.js"],
    ["a bundle beside the bundles", "bundles/../x/bundle.esm.js"],
    ["the whole index", "index.db"],
    ["a piece of the index in the wrong place", "index.db.0001"],
  ])("refuses %s", async (_, name) => {
    await forge([[name, Buffer.from("x")]]);
    expect(await restored()).toMatchObject({
      error: { code: "BACKUP_INVALID", message: expect.stringContaining("does not belong") },
    });
    await copyIsUntouched();
  });

  it("refuses an entry that says it has gigabytes", async () => {
    await backup();
    const about = (await readFile(file)).subarray(0, 1024);
    await writeFile(file, Buffer.concat([about, tarHeader({ name: "cas/x", size: 8 ** 11 - 1 })]));
    expect(await restored()).toMatchObject({
      error: { code: "BACKUP_INVALID", message: expect.stringContaining("is cut short") },
    });
  });

  it("refuses another tar file, and one without an index or with a foreign one", async () => {
    await rm(file, { force: true });
    await writeTar(file, (add) => add("thread.json", Buffer.from("{}")));
    expect(await restored()).toMatchObject({
      error: { code: "BACKUP_INVALID", message: expect.stringContaining("thread import") },
    });
    await forge([]);
    expect(await restored()).toMatchObject({ error: { code: "BACKUP_INVALID" } });
    await forge([
      ["index.db.0000", Buffer.from("not a database, but long enough to be read as one")],
    ]);
    expect(await restored()).toMatchObject({ error: { code: "BACKUP_INVALID" } });
    await copyIsUntouched();
  });

  it("refuses a backup in which a thread lacks a blob", async () => {
    await backup();
    const { head = "" } = (await engine.store.get(RUNNING)) ?? {};
    await forge((await entriesOf(file)).filter(([name]) => name !== `cas/${head}.txt`));
    expect(await restored()).toMatchObject({
      error: { code: "BACKUP_INVALID", message: expect.stringContaining(head) },
    });
  });
});

/** A backup with these entries and valid checksums. */
async function forge(entries: readonly (readonly [string, Buffer])[]): Promise<void> {
  const about = JSON.stringify({ format: "uncaged-workflow-backup", version: 1, createdAt: 1 });
  const own = entries.filter(([name]) => !["backup.json", "SHA256SUMS"].includes(name));
  const all = [["backup.json", Buffer.from(`${about}\n`)] as const, ...own];
  const sums = all.map(([name, content]) => `${sha256Hex(content)}  ${name}\n`).join("");
  await rm(file, { force: true });
  await writeTar(file, async (add) => {
    for (const [name, content] of all) await add(name, content);
    await add("SHA256SUMS", Buffer.from(sums));
  });
}

async function entriesOf(path: string): Promise<[string, Buffer][]> {
  const tar = await openTar(path, invalidBackup);
  if (!tar.ok) throw new Error(tar.error.message);
  const found: [string, Buffer][] = [];
  for await (const entry of tar.value.entries(() => Number.MAX_SAFE_INTEGER))
    if (entry.ok) found.push([entry.value.name, Buffer.from(entry.value.content)]);
  await tar.value.close();
  return found;
}
