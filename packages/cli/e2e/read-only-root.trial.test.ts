/** A read-only storage root, such as a backup or another user's root, can be read and checked. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { untilClosed } from "./until-thread.test.helper.ts";

/** Root may write everywhere. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

let cli: Cli;
let threadId = "";
beforeAll(async () => {
  cli = openCli();
  chmodSync(cli.dir, 0o777);
  await cli.addSteps("steps");
  ({ threadId } = await cli.json<{ threadId: string }>(["run", "steps", "-p", "{}", "--wait"]));
  await untilClosed(cli.root);
});
afterAll(() => {
  for (const name of readdirSync(cli.dir)) chmodSync(join(cli.dir, name), 0o755);
  rmSync(cli.dir, { recursive: true, force: true });
});

/** The ways in which a copy of a root may hold its index. */
const COPIES: { readonly [name: string]: (root: string) => void } = {
  "without a log": () => {},
  "with a log that nobody has open": (root) => withLog(root, ["-wal"]),
  "with a log and its shared memory": (root) => withLog(root, ["-wal", "-shm"]),
};

/** Like a copy made while the index was in use: the last changes are only in the log. */
function withLog(root: string, endings: readonly string[]): void {
  const index = join(cli.root, "index.db");
  const db = new DatabaseSync(index);
  db.exec("PRAGMA wal_autocheckpoint = 0; UPDATE threads SET cwd = '/in/the/log'");
  copyFileSync(index, join(root, "index.db"));
  for (const ending of endings) copyFileSync(`${index}${ending}`, join(root, `index.db${ending}`));
  db.close();
}

function protect(path: string): void {
  const folder = statSync(path).isDirectory();
  if (folder) for (const name of readdirSync(path)) protect(join(path, name));
  chmodSync(path, folder ? 0o500 : 0o400);
  if (NOBODY !== null) chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** Runs it as a user who may not write there. */
function look(
  root: string,
  words: readonly string[],
): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], {
    cwd: cli.dir,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: root },
    ...NOBODY,
  });
  return { code: status, out: stdout, err: stderr };
}

describe.each(Object.keys(COPIES))("a copy %s", (name) => {
  let root = "";
  beforeAll(() => {
    root = join(cli.dir, name.replaceAll(" ", "-"));
    cpSync(cli.root, root, { recursive: true });
    COPIES[name]?.(root);
    protect(root);
  });

  it("is read by every command that reads", () => {
    const hash = JSON.parse(look(root, ["thread", "show", threadId, "--json"]).out).head;
    for (const words of [
      ["thread", "list"],
      ["thread", "ps"],
      ["thread", "show", threadId],
      ["thread", "context", threadId],
      ["thread", "verify", threadId],
      ["thread", "export", threadId, "--out", join(cli.dir, `${Math.random()}.tar`)],
      ["workflow", "list"],
      ["workflow", "show", "steps"],
      ["cas", "get", hash],
      ["cas", "show", hash],
      ["cas", "list"],
      ["cas", "fsck"],
      ["cas", "gc", "--dry-run"],
      ["doctor"],
    ]) {
      const { code, err } = look(root, words);
      expect([words.join(" "), code, err]).toEqual([words.join(" "), 0, ""]);
    }
  });

  it("is read as it is, including its log", () => {
    const { out } = look(root, ["thread", "show", threadId, "--json"]);
    const cwd: unknown = JSON.parse(out).cwd;
    expect(cwd === "/in/the/log").toBe(name !== "without a log");
  });

  it("refuses writes, and stays unchanged", () => {
    const before = readdirSync(root).sort();
    for (const words of [
      ["run", "steps", "-p", "{}"],
      ["cas", "put", "text"],
      ["thread", "rm", threadId],
    ]) {
      const { code, err } = look(root, [...words, "--json"]);
      expect([words[0], code, JSON.parse(err).error.code]).toEqual([words[0], 5, "STORAGE_FAILED"]);
    }
    expect(readdirSync(root).sort()).toEqual(before);
  });
});
