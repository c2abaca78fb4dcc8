/** Brings an index of ours up to what lies on disk. Names of files are bytes (`latin1`) all the way: not every name is
 *  UTF-8. */
import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { join } from "node:path";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { GitScope } from "../git/git-scope.ts";
import { type GitRun, gitFailed, runGit, tryGit } from "../git/run-git.ts";
import { DURABLE } from "./durable.ts";

export type SnapshotIndex = { scope: GitScope & { workTree: string }; signal?: AbortSignal };

/** Most bytes of names that git prints. */
const MAX_NAME_BYTES = 1024 ** 3;

/** What changed on disk since the index was written; deleted files come first. */
export async function changedNames(index: SnapshotIndex): Promise<Result<string[], Failure>> {
  const [changed, untracked] = await Promise.all([
    // Of a submodule only its commit counts, so that git does not run inside it.
    listNames(index, ["diff-files", "-z", "--name-only", "--ignore-submodules=dirty"]),
    listNames(index, ["ls-files", "-z", "--others", "--exclude-standard"]),
  ]);
  if (!changed.ok) return changed;
  if (!untracked.ok) return untracked;
  // A nested repository ends in a slash.
  return ok([...changed.value, ...untracked.value.map((name) => name.replace(/\/$/, ""))]);
}

/** What git lists, each entry ended by a zero byte. */
export async function listNames(
  index: SnapshotIndex,
  args: readonly string[],
  config: readonly string[] = [],
): Promise<Result<string[], Failure>> {
  const run = await runGit(args, { ...optionsOf(index), maxBytes: MAX_NAME_BYTES, config });
  return run.ok ? ok(run.value.split("\0").slice(0, -1)) : run;
}

/** Records these files, or that they are gone. Returns those that cannot be read, which the index then lacks. */
export async function stageNames(
  index: SnapshotIndex,
  names: readonly string[],
): Promise<Result<string[], Failure>> {
  if (names.length === 0) return ok([]);
  const run = await tryUpdate(index, ["--add", "--remove", "--replace"], entries(names));
  if (!run.ok) return run;
  if (run.value.exitCode === 0) return ok(refusedNames(run.value));
  const [name = "", ...others] = names;
  if (others.length === 0)
    return (await isReadable(join(index.scope.workTree, "/"), name))
      ? err(gitFailed(["update-index"], run.value.stderr))
      : leaveOut(index, [name]);
  // git gives up at the first file that it cannot read, and then it has recorded none.
  const half = Math.ceil(names.length / 2);
  const first = await stageNames(index, names.slice(0, half));
  if (!first.ok) return first;
  const second = await stageNames(index, names.slice(half));
  return second.ok ? ok([...first.value, ...second.value]) : second;
}

/** Takes these names out of the index, whatever lies on disk, and returns them. */
export async function leaveOut(
  index: SnapshotIndex,
  names: readonly string[],
): Promise<Result<string[], Failure>> {
  const left = await update(index, ["--force-remove"], entries(names));
  return left.ok ? ok([...names]) : left;
}

/** `update-index` with input; does nothing without any. */
export async function update(
  index: SnapshotIndex,
  flags: readonly string[],
  input: string,
): Promise<Result<null, Failure>> {
  if (input === "") return ok(null);
  const run = await tryUpdate(index, flags, input);
  if (!run.ok) return run;
  return run.value.exitCode === 0 ? ok(null) : err(gitFailed(["update-index"], run.value.stderr));
}

export const entries = (names: readonly string[]): string =>
  names.map((name) => `${name}\0`).join("");

/** `--index-info` reads its own input; all other flags are about names. */
function tryUpdate(
  index: SnapshotIndex,
  flags: readonly string[],
  input: string,
): Promise<Result<GitRun, Failure>> {
  const stdin = flags.includes("--index-info") ? [] : ["--stdin"];
  return tryGit(["update-index", "-z", ...flags, ...stdin], {
    ...optionsOf(index),
    input: Buffer.from(input, "latin1"),
    config: DURABLE,
  });
}

function optionsOf({ scope, signal }: SnapshotIndex) {
  const cancel = signal === undefined ? {} : { signal };
  return { scope, cwd: scope.workTree, encoding: "latin1" as const, ...cancel };
}

/** Names that git does not take, such as `GIT~1`, which is `.git` on some file systems. */
function refusedNames({ stderr }: GitRun): string[] {
  return [...stderr.matchAll(/^Ignoring path (.*)$/gm)].map(([, name = ""]) => name);
}

/** Whether this is something that git can record: then it is not the file's fault that it did not. */
async function isReadable(workTree: string, name: string): Promise<boolean> {
  const path = Buffer.concat([Buffer.from(workTree), Buffer.from(name, "latin1")]);
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return true;
    if (!stats.isFile()) return false;
    await access(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
