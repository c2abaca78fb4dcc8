/** A git folder of our own for a work tree of the user's.
 *
 *  1. Configuration: only what is harmless (`harmless-config`). So no filter, driver or monitor of the repository runs
 *     while its files are read or written.
 *  2. Index: one per work tree, kept between snapshots. It is never the user's.
 *  3. Objects: the user's, so that trees share what commits already have, and `git` shows them.
 *  4. References and hooks: none. */
import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { makeFolderSync, readRegularFile, writeFileAtomic } from "@uncaged/workflow-util";
import type { GitScope } from "../git/git-scope.ts";
import type { Repository } from "../repository/find-repository.ts";
import { harmlessConfig } from "./harmless-config.ts";

export type OwnGit = {
  scope: GitScope & { workTree: string };
  /** Index that is kept between snapshots; it may be missing. */
  keptIndex: string;
  /** Changes when configuration or excludes do. */
  rules: string;
  isSparse: boolean;
  /** Configuration that names the user's own list of ignored files. */
  excludes: readonly string[];
};

const MAX_INFO_BYTES = 1024 * 1024;

/** `keep`: folder that holds those of all work trees. `leaveOut`: absolute paths that no snapshot contains. */
export async function openOwnGit(
  repository: Repository,
  { keep, leaveOut }: { keep: string; leaveOut: readonly string[] },
): Promise<Result<OwnGit, Failure>> {
  const config = await harmlessConfig(repository);
  if (!config.ok) return config;
  const { text, isSparse, excludes } = config.value;
  const gitDir = join(keep, nameOf(repository));
  const info = join(repository.commonDir, "info");
  const exclude = [...(await linesOf(join(info, "exclude"))), ...excluded(repository, leaveOut)];
  const files = {
    HEAD: "ref: refs/heads/none\n",
    config: text,
    "info/exclude": exclude.join("\n"),
    "info/attributes": (await linesOf(join(info, "attributes"))).join("\n"),
  };
  makeFolderSync(gitDir);
  for (const folder of ["info", "refs", "objects"])
    await mkdir(join(gitDir, folder), { recursive: true });
  for (const [name, content] of Object.entries(files)) await keepFile(join(gitDir, name), content);
  const objects = join(repository.commonDir, "objects");
  return ok({
    scope: { gitDir, workTree: repository.workTree, objects },
    keptIndex: join(gitDir, "index"),
    rules: createHash("sha256").update(JSON.stringify(files)).digest("hex"),
    isSparse,
    excludes,
  });
}

/** Forgets what was kept for a work tree that is no more. */
export async function forgetWorkTree(keep: string, repository: Repository): Promise<void> {
  await rm(join(keep, nameOf(repository)), { recursive: true, force: true });
}

function nameOf({ workTree, gitDir }: Repository): string {
  return createHash("sha256").update(`${workTree}\0${gitDir}`).digest("hex").slice(0, 32);
}

/** Lines of a file that may be missing, as bytes. Anything but a regular file counts as missing. */
async function linesOf(path: string): Promise<string[]> {
  const read = await readRegularFile(path, MAX_INFO_BYTES);
  return read.ok ? read.value.toString("latin1").split("\n") : [];
}

/** Patterns for folders inside the work tree, such as a storage root that lies there. */
function excluded({ workTree }: Repository, leaveOut: readonly string[]): string[] {
  return leaveOut
    .map((path) => relative(workTree, path))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith("../"))
    .map(
      (path) =>
        `/${Buffer.from(path)
          .toString("latin1")
          .replace(/[\\*?[\]!# ]/g, "\\$&")}`,
    );
}

async function keepFile(path: string, content: string): Promise<void> {
  const data = Buffer.from(content, "latin1");
  const before = await readRegularFile(path, 2 * MAX_INFO_BYTES);
  if (!before.ok || !before.value.equals(data))
    await writeFileAtomic({ path, data, mode: 0o600, existing: "replace" });
}
