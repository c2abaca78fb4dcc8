import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRepository, type Repository } from "../repository/find-repository.ts";
import { addWorktree } from "./add-worktree.ts";
import { copyIncluded } from "./copy-included.ts";
import { ignorePaths } from "./ignore-paths.ts";
import { listWorktrees } from "./list-worktrees.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { setUpWorktree } from "./set-up-worktree.ts";

let folder: string;
let home: string;
let repository: Repository;
let side: string;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-worktree-")));
  home = join(folder, "home");
  side = join(home, "worktrees", "side");
  mkdirSync(home);
  git("init", "-q", "-b", "main");
  write("a.txt", "one\n");
  write("deep/b.sh", "#!/bin/sh\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  repository = await found(home);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]): string => gitIn(home, ...args);
const gitIn = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });

test("a worktree has its own branch and the files of its base, and the main one is as it was", async () => {
  const before = state();
  const made = await add("feat/side");
  expect(made).toMatchObject({ ok: true, value: { workTree: side } });
  expect(readFileSync(join(side, "a.txt"), "utf8")).toBe("one\n");
  expect(gitIn(side, "status", "--porcelain", "--branch")).toBe("## feat/side\n");
  expect(state()).toEqual(before);
  expect(await add("feat/side")).toEqual(made);
});

test("a detached worktree is on no branch, and may have other files than its commit", async () => {
  write("a.txt", "two\n");
  write("new.txt", "new\n");
  git("add", "-A");
  const files = git("write-tree").trim();
  git("reset", "-q", "--hard");
  expect(await add(null, { files })).toMatchObject({ ok: true });
  expect(readFileSync(join(side, "new.txt"), "utf8")).toBe("new\n");
  expect(gitIn(side, "status", "--porcelain", "--branch")).toBe(
    "## HEAD (no branch)\n M a.txt\n?? new.txt\n",
  );
});

test("no filter or hook of the repository runs when files are written or looked at", async () => {
  const trap = join(folder, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(folder, "sprung")}\ncat\n`, { mode: 0o755 });
  write(".gitattributes", "* filter=trap\n");
  git("add", "-A");
  git("commit", "-q", "-m", "attributes");
  for (const name of ["clean", "smudge"]) git("config", `filter.trap.${name}`, trap);
  writeFileSync(join(home, ".git/hooks/post-checkout"), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  expect(await add("side")).toMatchObject({ ok: true });
  writeFileSync(join(side, "a.txt"), "changed\n");
  expect(await listWorktrees(repository)).toMatchObject({
    value: [{ branch: "side", unsaved: { changes: ["a.txt"] } }],
  });
  expect(await removeWorktree({ repository, path: side })).toMatchObject({ ok: false });
  expect(existsSync(join(folder, "sprung"))).toBe(false);
});

test("what a crash left half made is made again, and another folder is left alone", async () => {
  await add("side");
  const gitDir = join(home, ".git/worktrees/side");
  rmSync(join(gitDir, "index"));
  writeFileSync(join(gitDir, "index.uncaged.lock"), "");
  rmSync(join(side, "a.txt"));
  expect(await add("side")).toMatchObject({ ok: true });
  expect(gitIn(side, "status", "--porcelain")).toBe("");
  rmSync(side, { recursive: true });
  expect(await add("side")).toMatchObject({ ok: true });
  rmSync(join(gitDir, "index"));
  expect(await add("side")).toMatchObject({ ok: false, error: { code: "TARGET_EXISTS" } });
  expect(existsSync(join(side, "a.txt"))).toBe(true);
});

test("another branch, a foreign folder and an invalid name are refused", async () => {
  await add("side");
  expect(await add("other")).toMatchObject({ ok: false, error: { code: "TARGET_EXISTS" } });
  write("busy/file", "x");
  const busy = { repository, path: join(home, "busy"), base: "main", branch: "busy" };
  expect(await addWorktree(busy)).toMatchObject({ ok: false, error: { code: "TARGET_EXISTS" } });
  const path = join(home, "odd");
  const odd = addWorktree({ ...busy, path, branch: "a..b" });
  expect(await odd).toMatchObject({ ok: false, error: { code: "USAGE" } });
  const unknown = addWorktree({ ...busy, path, base: "--all" });
  expect(await unknown).toMatchObject({ ok: false, error: { code: "GIT_FAILED" } });
});

test("a worktree is removed only when all of it is in a commit that a ref has", async () => {
  await add(null);
  const refused = { ok: false, error: { code: "WORKTREE_UNSAVED" } };
  writeFileSync(join(side, "new.txt"), "new\n");
  expect(await remove()).toMatchObject(refused);
  gitIn(side, "add", "-A");
  gitIn(side, "commit", "-q", "-m", "work");
  expect(await remove()).toMatchObject(refused);
  git("branch", "kept", gitIn(side, "rev-parse", "HEAD").trim());
  expect(await remove()).toEqual({ ok: true, value: undefined });
  expect(existsSync(side)).toBe(false);
  expect(await listWorktrees(repository)).toEqual({ ok: true, value: [] });
  expect(await remove()).toEqual({ ok: true, value: undefined });
});

test("a rebase that has not ended is not removed", async () => {
  await add("side");
  mkdirSync(join(home, ".git/worktrees/side/rebase-merge"));
  expect(await remove()).toMatchObject({
    ok: false,
    error: { code: "WORKTREE_UNSAVED", message: expect.stringContaining("rebase") },
  });
});

test("a removal that a crash cut off is finished by the next one", async () => {
  await add("side");
  mkdirSync(join(dirname(side), ".uncaged-removed-other"));
  rmSync(side, { recursive: true });
  expect(await remove()).toEqual({ ok: true, value: undefined });
  expect(existsSync(join(dirname(side), ".uncaged-removed-other"))).toBe(false);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("the main work tree and a folder that is none are never removed", async () => {
  const usage = { ok: false, error: { code: "USAGE" } };
  expect(await removeWorktree({ repository, path: home })).toMatchObject(usage);
  write("other/x", "x");
  expect(await removeWorktree({ repository, path: join(home, "other") })).toMatchObject(usage);
});

test("paths are ignored in all worktrees, once, without a change of the user's files", async () => {
  writeFileSync(join(home, ".git/info/exclude"), "mine");
  const before = git("status", "--porcelain");
  await ignorePaths(repository, ["/worktrees/", "/.ctx"]);
  await ignorePaths(repository, ["/worktrees/", "/.ctx"]);
  await add("side");
  writeFileSync(join(side, ".ctx"), "x");
  expect(readFileSync(join(home, ".git/info/exclude"), "utf8")).toBe("mine\n/worktrees/\n/.ctx\n");
  expect(git("status", "--porcelain")).toBe(before);
  expect(gitIn(side, "status", "--porcelain")).toBe("");
});

test("the setup gets the ignored files that are named, none that leads elsewhere", async () => {
  write(".gitignore", ".env\nlinked\nlinks/\nnested/\n");
  write(".worktreeinclude", ".env\nlinked\nlinks/\nnested/deep.key\nplain.txt\n");
  write(".env", "KEY=1\n");
  write("plain.txt", "not ignored\n");
  write("nested/deep.key", "deep\n");
  write("nested/other", "other\n");
  writeFileSync(join(folder, "secret"), "secret\n");
  symlinkSync(join(folder, "secret"), join(home, "linked"));
  symlinkSync(folder, join(home, "links"));
  await add("side");
  const command = ["sh", "-c", "cat .env > made"];
  const given = { from: repository, worktree: { workTree: side }, env: process.env };
  expect(await setUpWorktree({ ...given, command })).toEqual({ ok: true, value: undefined });
  expect(readFileSync(join(side, "made"), "utf8")).toBe("KEY=1\n");
  expect(existsSync(join(side, "nested/deep.key"))).toBe(true);
  for (const path of ["linked", "links", "plain.txt", "nested/other"])
    expect(existsSync(join(side, path))).toBe(false);
  expect(await setUpWorktree({ ...given, command: ["sh", "-c", "echo no; exit 3"] })).toMatchObject(
    { ok: false, error: { code: "SETUP_FAILED", message: expect.stringContaining("no") } },
  );
});

test("nothing is copied through a link that the new worktree has in its place", async () => {
  write(".gitignore", "conf/\n");
  write(".worktreeinclude", "conf/\n");
  symlinkSync(folder, join(home, "link"));
  git("add", "-A");
  git("commit", "-q", "-m", "link");
  write("conf/x", "x\n");
  await add("side");
  symlinkSync(folder, join(side, "conf"));
  expect(await copyIncluded(repository, { workTree: side })).toEqual({ ok: true, value: [] });
  expect(existsSync(join(folder, "x"))).toBe(false);
});

function add(branch: string | null, more: { files?: string } = {}) {
  return addWorktree({ repository, path: side, base: "main", branch, ...more });
}

function remove() {
  return removeWorktree({ repository, path: side });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** What a worktree must leave alone in the main one. */
function state() {
  const read = (path: string) => readFileSync(join(home, ".git", path), "utf8");
  return [read("HEAD"), read("config"), git("stash", "list"), git("diff", "--stat", "HEAD")];
}

async function found(at: string): Promise<Repository> {
  const repository = await findRepository(at);
  if (!repository.ok || repository.value === null) throw new Error("no repository");
  return repository.value;
}
