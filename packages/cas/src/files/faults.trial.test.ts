/** A store must survive what happens to processes and disks. The child processes fail for real:
 *  they are killed, or their file system calls return the errors of a failing disk. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesOnly } from "../root/files-only.test.helper.ts";
import { deeds, littered, step } from "./faults.test.deeds.ts";
import { isTempFile } from "./files-layout.ts";
import { openFilesStore } from "./files-store.ts";

const CHILD = fileURLToPath(new URL("./faults.test.child.mjs", import.meta.url));
const ERRORS = ["ENOSPC", "EIO", "EACCES", "EMFILE", "EROFS"];

/** Dozens of processes, possibly on a busy machine. */
const PATIENCE = { timeout: 120_000 };

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cas-faults-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sound = async (store: string, roots: readonly string[]) =>
  expect(await filesOnly(store).check(roots)).toMatchObject({
    ok: true,
    problems: [],
  });
const hashes = (nodes: readonly { hash: string }[]) => nodes.map(({ hash }) => hash).sort();
const roots = hashes(littered.live);

test("a batch is flushed before it is named, then its folder, and once the folder above", async () => {
  const calls: string[] = JSON.parse((await child("trace", "put", folder)).stdout);
  const effects = calls.filter((call) => ["writeSync", "fsync", "linkSync"].includes(call));
  expect(effects.filter((call, at) => call !== effects[at - 1] || call !== "writeSync")).toEqual([
    "writeSync",
    "fsync",
    "fsync",
    "linkSync",
    "linkSync",
    "fsync",
    "fsync",
  ]);
});

test("a batch that exists already still gets the flushes of its folder and the one above", async () => {
  await openFilesStore(folder).putBatch(step);
  const calls: string[] = JSON.parse((await child("trace", "put", folder)).stdout);
  expect(calls.filter((call) => ["writeSync", "fsync", "linkSync"].includes(call))).toEqual([
    "fsync",
    "fsync",
  ]);
});

describe("a process that is killed before any file system call", PATIENCE, () => {
  test("while it puts a batch leaves a sound store, in which the batch can be put", async () => {
    const kills = await killEverywhere("put", async (store) => {
      await sound(store, []);
      await openFilesStore(store).putBatch(step);
      await sound(store, hashes(step));
    });
    expect(kills).toBeGreaterThan(10);
  });

  test("while it collects garbage leaves every live blob, and the next run completes the work", async () => {
    const kills = await killEverywhere("collect", async (store) => {
      await sound(store, roots);
      await deeds.collect.deed(store);
      expect(await openFilesStore(store).list()).toEqual(roots);
      await sound(store, roots);
    });
    expect(kills).toBeGreaterThan(20);
  });
});

describe.each(ERRORS)("a file system that fails with %s at any one call", PATIENCE, (code) => {
  test("refuses the batch, leaves nothing behind, and accepts the batch later", async () => {
    const outcomes = await failEverywhere("put", code);
    expect(outcomes.length).toBeGreaterThan(10);
    for (const [n, { call, outcome, left }] of outcomes.entries()) {
      // By then the bytes are safe; a file that cannot be removed is left for garbage collection.
      const tolerated = ["closeSync", "rmSync"].includes(call);
      if (!tolerated || outcome !== "ok")
        expect({ n, call, outcome }).toEqual({ n, call, outcome: "STORAGE_FAILED" });
      expect(left.filter(isTempFile)).toHaveLength(call === "rmSync" ? 1 : 0);
      const store = join(folder, String(n));
      await sound(store, outcome === "ok" ? hashes(step) : []);
      await openFilesStore(store).putBatch(step);
      await sound(store, hashes(step));
    }
  });

  test("stops a collection with every live blob in place, and the next run completes the work", async () => {
    const outcomes = await failEverywhere("collect", code);
    expect(outcomes.length).toBeGreaterThan(20);
    for (const [n, { call, outcome }] of outcomes.entries()) {
      expect({ n, call, outcome }).toEqual({ n, call, outcome: "STORAGE_FAILED" });
      const store = join(folder, String(n));
      await sound(store, roots);
      await deeds.collect.deed(store);
      expect(await openFilesStore(store).list()).toEqual(roots);
      await sound(store, roots);
    }
  });

  test("stops a deletion, which can be repeated", async () => {
    for (const [n, { call, outcome }] of (await failEverywhere("delete", code)).entries()) {
      expect({ n, call, outcome }).toEqual({ n, call, outcome: "STORAGE_FAILED" });
      await deeds.delete.deed(join(folder, String(n)));
    }
  });
});

test("a file size limit cuts a write short: none of it is published", async () => {
  const big = `import { openFilesStore } from ${JSON.stringify(new URL("./files-store.ts", import.meta.url).href)};
    await openFilesStore(process.argv[1]).put("x".repeat(2_000_000)).catch((e) => {
      console.log(e.failure.code, e.failure.message);
    });`;
  const limited = `ulimit -f 200; exec "$0" --input-type=module -e "$1" "$2"`;
  const run = spawnSync("sh", ["-c", limited, process.execPath, big, folder], { encoding: "utf8" });
  expect(run.stdout).toContain("STORAGE_FAILED");
  expect(run.stdout).toContain("EFBIG");
  expect(readdirSync(folder)).toEqual([]);
});

/** Kills a child at its first call, the next at its second and so on, until one finishes. */
async function killEverywhere(name: keyof typeof deeds, after: (store: string) => Promise<void>) {
  for (let n = 0; ; n++) {
    const store = join(folder, String(n));
    await deeds[name].prepare?.(store);
    const run = spawnSync(process.execPath, [CHILD, "kill", name, store, String(n)], {
      // Compiled once for all of them.
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
    });
    await after(store);
    if (run.signal !== "SIGKILL") {
      expect(`${run.stdout}${run.stderr}`).toBe("done\n");
      return n;
    }
  }
}

type Outcome = { call: string; outcome: string; left: string[] };

async function failEverywhere(name: keyof typeof deeds, code: string): Promise<Outcome[]> {
  const { stdout } = await child("fail", name, folder, code);
  return JSON.parse(stdout);
}

function child(...args: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [CHILD, ...args]);
}
