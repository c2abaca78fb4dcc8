import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit, tryGit } from "../git/run-git.ts";
import type { Scratch } from "./scratch.ts";
import { damaged, readTree } from "./trees.ts";

/** The files of a tree in a folder of their own, with a repository of their own. */
export type Checkout = {
  /** `files`, `home` and `tmp` are below it, and nothing else. */
  folder: string;
  files: string;
  /** Tracked files that now differ from the tree: changed or gone. */
  changed(): Promise<Result<string[], Failure>>;
  remove(): Promise<void>;
};

let counter = 0;

export async function checkOut(scratch: Scratch, tree: string): Promise<Result<Checkout, Failure>> {
  const name = `run-${counter++}`;
  const folder = join(scratch.folder, name);
  const files = join(folder, "files");
  for (const each of [files, join(folder, "home"), join(folder, "tmp")])
    await mkdir(each, { recursive: true });
  const index = `${name}.index`;
  const scope = scratch.scope(index, files);
  const read = await readTree(scratch, { tree, index });
  if (!read.ok) return read;
  const put = await runGit(["checkout-index", "--all", "--force"], { scope, cwd: files });
  if (!put.ok) return put;
  // Reads every file and computes its name: a made-up object shows here.
  const refresh = ["update-index", "--ignore-submodules", "--refresh"];
  const same = await tryGit(refresh, { scope, cwd: files });
  if (!same.ok) return same;
  if (same.value.exitCode !== 0) return err(damaged(tree));
  const own = await ownRepository(scratch, { files, tree });
  if (!own.ok) return own;
  return ok({
    folder,
    files,
    async changed() {
      await tryGit(refresh, { scope, cwd: files });
      const args = ["diff-files", "-z", "--name-only", "--ignore-submodules=all"];
      const listed = await runGit(args, { scope, cwd: files });
      return listed.ok ? ok(listed.value.split("\0").filter(Boolean)) : listed;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  });
}

/** For commands that ask git about the files: one commit, with this tree. */
async function ownRepository(
  scratch: Scratch,
  { files, tree }: { files: string; tree: string },
): Promise<Result<null, Failure>> {
  const gitDir = join(files, ".git");
  const format = tree.length === 64 ? "sha256" : "sha1";
  const init = ["init", "-q", "--template=", "-b", "main", `--object-format=${format}`, files];
  const made = await runGit(init, { scope: null, cwd: files });
  if (!made.ok) return made;
  const objects = [join(scratch.gitDir, "objects"), ...scratch.objects];
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
  await writeFile(join(gitDir, "objects", "info", "alternates"), `${objects.join("\n")}\n`);
  const scope = { gitDir, workTree: files };
  const commit = await runGit(["commit-tree", "-m", "checked", tree], {
    scope,
    cwd: files,
    env: AUTHOR,
  });
  if (!commit.ok) return commit;
  for (const args of [
    ["update-ref", "HEAD", commit.value.trim()],
    ["read-tree", tree],
  ]) {
    const done = await runGit(args, { scope, cwd: files });
    if (!done.ok) return done;
  }
  return ok(null);
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "check",
  GIT_AUTHOR_EMAIL: "check@localhost",
  GIT_AUTHOR_DATE: "1000000000 +0000",
  GIT_COMMITTER_NAME: "check",
  GIT_COMMITTER_EMAIL: "check@localhost",
  GIT_COMMITTER_DATE: "1000000000 +0000",
};
