import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRepository, type Repository } from "../repository/find-repository.ts";
import { recordSnapshot, snapshotTip } from "../snapshot/record-snapshot.ts";
import { dropRemoteSnapshots, fetchSnapshots } from "./fetch-snapshots.ts";
import { ignoredNames } from "./ignored-names.ts";
import { pushSnapshots } from "./push-snapshots.ts";
import { openUrl, originUrl } from "./remote-url.ts";

const THREAD = "01KAJ2Z6PVX0000000000000ZZ";
const REF = `refs/uncaged/${THREAD}`;

let folder: string;
let remote: string;
let ours: Repository;
let theirs: Repository;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-travel-")));
  remote = join(folder, "remote.git");
  git(folder, "init", "-q", "--bare", remote);
  [ours, theirs] = [await machine("ours"), await machine("theirs")];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...who, ...args], {
    cwd,
    encoding: "utf8",
    env,
    stdio: "pipe",
  }).trim();
}

async function machine(name: string): Promise<Repository> {
  const path = join(folder, name);
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main");
  git(path, "remote", "add", "origin", remote);
  const found = unwrap(await findRepository(path));
  if (found === null) throw new Error("no repository");
  return found;
}

/** A snapshot of one file, by the owner with this fence. */
async function step(at: Repository, text: string, fence: number, head: string | null = null) {
  writeFileSync(join(at.workTree, "a.txt"), text);
  git(at.workTree, "add", "a.txt");
  const tree = git(at.workTree, "write-tree");
  const record = { gitDir: at.commonDir, threadId: THREAD, tree, message: text, atMs: fence };
  return unwrap(await recordSnapshot({ ...record, travels: { head, fence } }));
}

const push = (place: Repository, fence: number) =>
  pushSnapshots({ place, threadId: THREAD, url: remote, fence, atMs: 0 });
const fetched = (place: Repository, commit: string, url = remote) =>
  fetchSnapshots({ place, threadId: THREAD, from: THREAD, url, commit });
const tip = (): string => git(remote, "rev-parse", REF);
const text = (): string => git(remote, "show", `${REF}:a.txt`);

test("another machine gets the files, and the commit that HEAD named behind them, and goes on from there", async () => {
  git(ours.workTree, "commit", "-q", "--allow-empty", "-m", "work");
  const head = git(ours.workTree, "rev-parse", "HEAD");
  const commit = await step(ours, "1", 1, head);
  expect(await push(ours, 1)).toEqual({ ok: true, value: commit });
  expect(await fetched(theirs, commit)).toMatchObject({ ok: true });
  expect(git(theirs.workTree, "show", `${commit}:a.txt`)).toBe("1");
  expect(git(theirs.workTree, "cat-file", "-t", head)).toBe("commit");
  const next = await step(theirs, "2", 2);
  expect(await push(theirs, 2)).toEqual({ ok: true, value: next });
  expect([tip(), text()]).toEqual([next, "2"]);
});

test("a stale owner's push is refused, and changes nothing", async () => {
  const commit = await step(ours, "1", 1);
  await push(ours, 1);
  await fetched(theirs, commit);
  await step(ours, "late", 1);
  const next = await step(theirs, "2", 2);
  await push(theirs, 2);
  expect(await push(ours, 1)).toMatchObject({ ok: false, error: { code: "GIT_FAILED" } });
  expect([tip(), text()]).toEqual([next, "2"]);
});

test("what an earlier owner pushed after it was replaced does not keep its successor from pushing", async () => {
  const commit = await step(ours, "1", 1);
  await push(ours, 1);
  await fetched(theirs, commit);
  const late = await step(ours, "late", 1);
  expect(await push(ours, 1)).toMatchObject({ ok: true });
  await step(theirs, "2", 2);
  expect(await push(theirs, 2)).toMatchObject({ ok: true });
  expect(text()).toBe("2");
  expect(git(remote, "merge-base", REF, late)).toBe(late);
});

test("a machine that had the thread before keeps what it has, and goes on from the others' files", async () => {
  const first = await step(ours, "1", 1);
  await push(ours, 1);
  const unpushed = await step(ours, "cut off", 1);
  await fetched(theirs, first);
  const second = await step(theirs, "2", 2);
  await push(theirs, 2);
  expect(await fetched(ours, second)).toMatchObject({ ok: true });
  const here =
    unwrap(await snapshotTip({ gitDir: ours.commonDir, threadId: THREAD }))?.commit ?? "";
  expect(git(ours.workTree, "show", `${here}:a.txt`)).toBe("2");
  expect(git(ours.workTree, "merge-base", here, unpushed)).toBe(unpushed);
  await step(ours, "3", 3);
  expect(await push(ours, 3)).toMatchObject({ ok: true });
  expect(text()).toBe("3");
});

test("a remote that is away, or that runs a program, is refused and nothing runs", async () => {
  const commit = await step(ours, "1", 1);
  const sprung = join(folder, "sprung");
  for (const url of [
    join(folder, "away.git"),
    `ext::touch ${sprung}`,
    `--upload-pack=touch ${sprung}`,
  ]) {
    const to = { place: ours, threadId: THREAD, url, fence: 1, atMs: 0 };
    expect(await pushSnapshots(to)).toMatchObject({ ok: false, error: { code: "GIT_FAILED" } });
    expect(await fetched(theirs, commit, url)).toMatchObject({ ok: false });
  }
  expect(existsSync(sprung)).toBe(false);
});

test("the repository's configuration can neither send the files elsewhere nor name a program", async () => {
  const elsewhere = join(folder, "elsewhere.git");
  git(folder, "init", "-q", "--bare", elsewhere);
  const sprung = join(folder, "sprung");
  const trap = join(folder, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch ${sprung}\n`, { mode: 0o755 });
  mkdirSync(join(ours.commonDir, "hooks"), { recursive: true });
  writeFileSync(join(ours.commonDir, "hooks", "pre-push"), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  git(ours.workTree, "config", `url.${elsewhere}.insteadOf`, remote);
  git(ours.workTree, "config", `remote.${remote}.receivepack`, trap);
  git(ours.workTree, "config", `remote.${remote}.uploadpack`, trap);
  const commit = await step(ours, "1", 1);
  expect(await push(ours, 1)).toMatchObject({ ok: true });
  expect(tip()).toBe(commit);
  expect(git(elsewhere, "for-each-ref")).toBe("");
  expect(existsSync(sprung)).toBe(false);
});

test("the snapshots are deleted from the remote, and nothing of it is a failure when they are gone", async () => {
  await step(ours, "1", 1);
  await push(ours, 1);
  for (const _ of [1, 2])
    expect(await dropRemoteSnapshots(ours, { threadId: THREAD, url: remote })).toMatchObject({
      ok: true,
    });
  expect(git(remote, "for-each-ref")).toBe("");
});

test("ignored files are named by the first parts of their paths", async () => {
  writeFileSync(join(ours.workTree, ".gitignore"), "deep\n*.log\n/.env\n");
  mkdirSync(join(ours.workTree, "src", "deep"), { recursive: true });
  for (const path of ["src/deep/x", "src/y.log", "z.log", ".env", "kept"])
    writeFileSync(join(ours.workTree, path), "");
  expect(await ignoredNames(ours)).toEqual({ ok: true, value: [".env", "src", "z.log"] });
});

test("a remote is a URL without user and password; a path is absolute", async () => {
  expect(await originUrl(ours)).toEqual({ ok: true, value: remote });
  git(ours.workTree, "remote", "set-url", "origin", "../remote.git");
  expect(await originUrl(ours)).toEqual({ ok: true, value: remote });
  git(ours.workTree, "remote", "remove", "origin");
  expect(await originUrl(ours)).toEqual({ ok: true, value: null });
  expect(openUrl("https://ada:secret@example.org/x.git")).toBe("https://example.org/x.git");
  expect(openUrl("git@example.org:x.git")).toBe("git@example.org:x.git");
});
