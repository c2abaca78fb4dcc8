import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit, tryGit } from "../git/run-git.ts";
import { type IndexFile, type Scratch, writeIndex } from "./scratch.ts";
import { damaged, indexOf } from "./trees.ts";

/** The files of a tree in a folder of their own, with a repository of their own. */
export type Checkout = {
  /** `files`, `home` and `tmp` are below it, and nothing else. */
  folder: string;
  files: string;
  /** Tracked files that now differ from the tree: changed or gone. */
  changed(): Promise<Result<string[], Failure>>;
  /** Those that are not tracked, a folder of nothing else as one. */
  untracked(): Promise<Result<string[], Failure>>;
  remove(): Promise<void>;
};

let counter = 0;

export async function checkOut(scratch: Scratch, tree: string): Promise<Result<Checkout, Failure>> {
  const index = await indexOf(scratch, tree);
  if (!index.ok) return index;
  const folder = join(scratch.folder, `run-${counter++}`);
  const files = join(folder, "files");
  for (const each of [files, join(folder, "home"), join(folder, "tmp")])
    await mkdir(each, { recursive: true });
  const name = await scratch.put(index.value);
  const scope = scratch.scope(name, files);
  const put = await runGit(["checkout-index", "--all", "--force"], { scope, cwd: files });
  if (!put.ok) return put;
  // Reads every file and computes its name: a made-up object shows here.
  const same = await tryGit(REFRESH, { scope, cwd: files });
  if (!same.ok) return same;
  if (same.value.exitCode !== 0) return err(damaged(tree));
  const seen = await scratch.take(name);
  const own = await ownRepository(scratch, { files, tree, index: seen });
  if (!own.ok) return own;
  const list = async (args: readonly string[], index: string) => {
    const listed = await runGit(args, { scope: scratch.scope(index, files), cwd: files });
    return listed.ok ? ok(listed.value.split("\0").filter(Boolean)) : listed;
  };
  return ok({
    folder,
    files,
    async changed() {
      const before = await scratch.put(seen);
      const refreshed = await tryGit(REFRESH, { scope: scratch.scope(before, files), cwd: files });
      if (refreshed.ok && refreshed.value.exitCode === 0) return ok([]);
      return list(["diff-files", "-z", "--name-only", "--ignore-submodules=all"], before);
    },
    async untracked() {
      const args = ["ls-files", "-z", "--others", "--directory", "--no-empty-directory"];
      return list(args, await scratch.put(seen));
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  });
}

const REFRESH = ["update-index", "--ignore-submodules", "--refresh"];

/** For commands that ask git about the files: one commit, with this tree. */
async function ownRepository(
  scratch: Scratch,
  { files, tree, index }: { files: string; tree: string; index: IndexFile },
): Promise<Result<null, Failure>> {
  const commit = await commitOf(scratch, tree);
  if (!commit.ok) return commit;
  const gitDir = join(files, ".git");
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
  await mkdir(join(gitDir, "refs", "heads"), { recursive: true });
  const objects = [join(scratch.gitDir, "objects"), ...scratch.objects];
  await writeFile(join(gitDir, "objects", "info", "alternates"), `${objects.join("\n")}\n`);
  await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(gitDir, "refs", "heads", "main"), `${commit.value}\n`);
  await writeFile(join(gitDir, "config"), scratch.config);
  await writeIndex(join(gitDir, "index"), index);
  return ok(null);
}

/** Commit of a tree, one per check. */
async function commitOf(scratch: Scratch, tree: string): Promise<Result<string, Failure>> {
  const known = scratch.commits.get(tree);
  if (known !== undefined) return ok(known);
  const args = ["commit-tree", "-m", "checked", tree];
  const made = await runGit(args, { scope: scratch.scope(), cwd: scratch.folder, env: AUTHOR });
  if (!made.ok) return made;
  const commit = made.value.trim();
  scratch.commits.set(tree, commit);
  return ok(commit);
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "check",
  GIT_AUTHOR_EMAIL: "check@localhost",
  GIT_AUTHOR_DATE: "1000000000 +0000",
  GIT_COMMITTER_NAME: "check",
  GIT_COMMITTER_EMAIL: "check@localhost",
  GIT_COMMITTER_DATE: "1000000000 +0000",
};
