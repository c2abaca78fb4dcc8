import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRepository, type Repository } from "@uncaged/workflow-workspace";
import { afterEach, beforeEach, expect, test } from "vitest";
import { integrationTip, moveSharedBranch, sharedBranch } from "./branches.ts";
import { mergeCommits } from "./merge-trees.ts";
import { rebaseBranch } from "./rebase-branch.ts";
import { type TaskPlace, taskPlace } from "./task-place.ts";

let folder: string;
let repo: string;
let trap: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-place-")));
  repo = join(folder, "repo");
  trap = join(folder, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${join(folder, "sprung")}\ncat\n`, {
    mode: 0o755,
  });
  git(folder, "init", "-q", "-b", "main", repo);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });

function commit(files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(repo, path), text);
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", "work");
  return git(repo, "rev-parse", "HEAD").trim();
}

test("a rebase and a merge run no filter, driver or hook of the repository", async () => {
  commit({ ".gitattributes": "*.txt filter=trap merge=trap\n", "a.txt": "1\n2\n3\n4\n5\n" });
  git(repo, "switch", "-q", "-c", "side");
  const side = commit({ "a.txt": "one\n2\n3\n4\n5\n" });
  git(repo, "switch", "-q", "main");
  const main = commit({ "a.txt": "1\n2\n3\n4\nfive\n" });
  git(repo, "switch", "-q", "side");
  for (const name of ["filter.trap.clean", "filter.trap.smudge", "merge.trap.driver"])
    git(repo, "config", name, trap);
  git(repo, "config", "filter.trap.required", "true");
  for (const hook of ["pre-rebase", "post-checkout", "post-rewrite", "reference-transaction"])
    writeFileSync(join(repo, ".git/hooks", hook), `#!/bin/sh\n${trap} ${hook} </dev/null\n`, {
      mode: 0o755,
    });
  const { place, repository } = await opened();
  const merged = await mergeCommits(place, { ours: main, theirs: side, message: "merge" });
  expect(merged).toMatchObject({ ok: true, value: { kind: "merged" } });
  expect(await rebaseBranch(place, repository, main)).toEqual({
    ok: true,
    value: { kind: "done" },
  });
  expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe("one\n2\n3\n4\nfive\n");
  expect(existsSync(join(folder, "sprung"))).toBe(false);
});

test("a remote is reached by no program that the repository names", async () => {
  const bare = join(folder, "bare.git");
  git(folder, "init", "-q", "--bare", "-b", "main", bare);
  const first = commit({ "a.txt": "1\n" });
  git(repo, "remote", "add", "origin", bare);
  git(repo, "push", "-q", "origin", "main");
  for (const name of [
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "core.sshCommand",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "credential.helper",
  ])
    git(repo, "config", name, trap);
  writeFileSync(join(repo, ".git/hooks/pre-push"), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
  const { place } = await opened();
  expect(await sharedBranch(place, "main")).toEqual({ ok: true, value: first });
  const second = commit({ "a.txt": "2\n" });
  const move = { branch: "main", from: first, to: second };
  expect(await moveSharedBranch(place, move)).toEqual({ ok: true, value: "done" });
  expect(git(bare, "rev-parse", "main").trim()).toBe(second);
  expect(existsSync(join(folder, "sprung"))).toBe(false);
  git(repo, "config", "remote.origin.url", `ext::${trap} x`);
  expect(await sharedBranch((await opened()).place, "main")).toMatchObject({ ok: false });
  expect(existsSync(join(folder, "sprung"))).toBe(false);
});

test.each(["with a remote", "without one"])(
  "of two who move a branch from one commit, one does, %s",
  async (where) => {
    const first = commit({ "a.txt": "1\n" });
    if (where === "with a remote") {
      const bare = join(folder, "bare.git");
      git(folder, "init", "-q", "--bare", "-b", "main", bare);
      git(repo, "remote", "add", "origin", bare);
      git(repo, "push", "-q", "origin", "main");
    }
    const [one, two] = [commit({ "a.txt": "2\n" }), commit({ "a.txt": "3\n" })];
    git(repo, "reset", "-q", "--hard", first);
    const { place } = await opened();
    const moves = await Promise.all(
      [one, two].map((to) => moveSharedBranch(place, { branch: "main", from: first, to })),
    );
    expect(moves.map((each) => each.ok && each.value).toSorted()).toEqual(["done", "moved"]);
    const again = await moveSharedBranch(place, { branch: "main", from: first, to: null });
    expect(again).toEqual({ ok: true, value: "moved" });
  },
);

test("a missing integration branch is made from the default branch, and said", async () => {
  const first = commit({ "a.txt": "1\n" });
  const { place } = await opened();
  expect(await integrationTip(place, "next")).toEqual({
    ok: true,
    value: { tip: first, made: "main" },
  });
  expect(await integrationTip(place, "next")).toEqual({
    ok: true,
    value: { tip: first, made: null },
  });
});

async function opened(): Promise<{ place: TaskPlace; repository: Repository }> {
  const found = await findRepository(repo);
  if (!found.ok || found.value === null) throw new Error("no repository");
  const place = await taskPlace(found.value, { PATH: process.env.PATH, HOME: folder });
  if (!place.ok) throw new Error(place.error.message);
  return { place: place.value, repository: found.value };
}
