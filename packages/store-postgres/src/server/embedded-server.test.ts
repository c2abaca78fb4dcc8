import { execFile, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEmbeddedServer, stopEmbeddedServer } from "./embedded-server.ts";
import { postmasterFile, readPostmaster } from "./postmaster-file.ts";
import { serverUser } from "./server-user.ts";

let folder = "";
beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), "uwf-server-"));
  chmodSync(parent, 0o711);
  folder = join(parent, "postgres");
});
afterEach(async () => {
  await stopEmbeddedServer({ folder });
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

const start = () => startEmbeddedServer({ folder, settings: { fsync: "off" } });
const data = () => join(folder, "data");

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

test("of several that start it at once, one does; it is stopped once, and keeps its data", async () => {
  const all = await Promise.all([start(), start(), start()]);
  expect(all.filter(({ started }) => started)).toHaveLength(1);
  const [{ url } = { url: "" }, ...others] = all;
  expect(others.map((other) => other.url)).toEqual([url, url]);
  await ask(url, "CREATE TABLE kept AS SELECT 7 AS n");
  expect(await start()).toEqual({ url, started: false });
  expect(await stopEmbeddedServer({ folder })).toBe(true);
  expect(await stopEmbeddedServer({ folder })).toBe(false);
  const again = await start();
  expect(again.started).toBe(true);
  expect(await ask(again.url, "SELECT n FROM kept")).toEqual([7]);
});

test("it listens on this machine only, and asks for the password, which nobody else can read", async () => {
  const { url } = await start();
  expect(await ask(url, "SHOW listen_addresses")).toEqual(["127.0.0.1"]);
  expect(statSync(join(folder, "password")).mode & 0o077).toBe(0);
  expect(statSync(data()).mode & 0o077).toBe(0);
  const wrong = url.replace(/:[^:@]+@/u, ":wrong@");
  await expect(ask(wrong, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
});

test("it starts after a crash, also where another process has its number by now, and beside half a cluster", async () => {
  mkdirSync(join(folder, "data.new-left"), { recursive: true });
  const { url } = await start();
  expect(readdirSync(folder)).not.toContain("data.new-left");
  await ask(url, "CREATE TABLE kept AS SELECT 7 AS n");
  process.kill(readPostmaster(data())?.pid ?? 0, "SIGKILL");
  await expect.poll(() => readPostmaster(data())).toBeNull();
  const stranger = spawn("sleep", ["60"], { ...(await serverUser()) });
  try {
    const left = readFileSync(postmasterFile(data()), "utf8");
    writeFileSync(postmasterFile(data()), left.replace(/^\d+/u, `${stranger.pid}`));
    const again = await start();
    expect(again.started).toBe(true);
    expect(await ask(again.url, "SELECT n FROM kept")).toEqual([7]);
  } finally {
    stranger.kill();
  }
});

test("a disk that is full while the cluster is made leaves nothing, and the next start makes it", async () => {
  const program = `
    const { startEmbeddedServer } = await import(${JSON.stringify(import.meta.resolve("./embedded-server.ts"))});
    const thrown = await startEmbeddedServer({ folder: ${JSON.stringify(folder)} }).catch((it) => it);
    console.log(thrown.failure.code, thrown.message);`;
  const limited = `ulimit -f 500; exec "${process.execPath}" --input-type=module -e "$0"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", limited, program]);
  expect(stdout).toMatch(/^STORAGE_FAILED .*initdb/u);
  expect(readdirSync(folder).filter((name) => name.startsWith("data"))).toEqual([]);
  expect((await start()).started).toBe(true);
});

test.runIf(process.getuid?.() === 0)(
  "root is told which folder keeps the server's user out",
  async () => {
    chmodSync(join(folder, ".."), 0o700);
    await expect(start()).rejects.toMatchObject({
      failure: { code: "STORAGE_FAILED", message: expect.stringContaining(join(folder, "..")) },
    });
  },
);
