/** Which files are tracked is the user's index's to say: an ignored file is recorded when it is tracked there, and a
 *  file that was recorded while nothing ignored it no longer is. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Repository } from "../repository/find-repository.ts";
import type { OwnGit } from "./own-git.ts";
import {
  entries,
  leaveOut,
  listNames,
  type SnapshotIndex,
  stageNames,
  update,
} from "./stage-changes.ts";

/** Returns what could not be read. */
export async function alignTracked(
  index: SnapshotIndex,
  own: OwnGit,
  repository: Repository,
): Promise<Result<string[], Failure>> {
  // Their git folder: only there are the parts of a split index. `ls-files` runs nothing of a repository.
  const { gitDir, workTree } = repository;
  const theirs: SnapshotIndex = { ...index, scope: { gitDir, workTree } };
  const [wanted, present, special] = await Promise.all([
    listNames(theirs, IGNORED, own.excludes),
    listNames(index, IGNORED),
    specialEntries(theirs, own),
  ]);
  if (!wanted.ok) return wanted;
  if (!present.ok) return present;
  if (!special.ok) return special;
  const tracked = new Set(wanted.value);
  const left = await leaveOut(
    index,
    present.value.filter((name) => !tracked.has(name)),
  );
  if (!left.ok) return left;
  const shown = await alignSparse(index, own, special.value.sparse);
  if (!shown.ok) return shown;
  const { modules } = special.value;
  // As their index has them; those that are checked out then get the commit that is.
  const linked = await update(index, ["--index-info"], modules.map(({ info }) => info).join(""));
  if (!linked.ok) return linked;
  return stageNames(index, [...tracked, ...shown.value, ...modules.map(({ name }) => name)]);
}

const IGNORED = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];

type Entry = { tag: string; mode: string; name: string; info: string };

/** Submodules, and what a sparse checkout leaves out. */
async function specialEntries(
  theirs: SnapshotIndex,
  { isSparse }: OwnGit,
): Promise<Result<{ modules: Entry[]; sparse: Entry[] }, Failure>> {
  const hasModules = existsSync(join(theirs.scope.workTree, ".gitmodules"));
  if (!isSparse && !hasModules) return ok({ modules: [], sparse: [] });
  const all = await entriesOf(theirs);
  if (!all.ok) return all;
  return ok({
    modules: all.value.filter(({ tag, mode }) => mode === "160000" && tag === "H"),
    sparse: isSparse ? all.value.filter(isLeftOut) : [],
  });
}

/** Takes over what lies outside of the sparse checkout. Returns what no longer does: it is to be looked at. */
async function alignSparse(
  index: SnapshotIndex,
  { isSparse }: OwnGit,
  sparse: readonly Entry[],
): Promise<Result<string[], Failure>> {
  if (!isSparse) return ok([]);
  const before = await entriesOf(index);
  if (!before.ok) return before;
  const names = new Set(sparse.map(({ name }) => name));
  const shown = before.value
    .filter(isLeftOut)
    .map(({ name }) => name)
    .filter((name) => !names.has(name));
  const steps = [
    { flags: ["--no-skip-worktree"], input: entries(shown) },
    { flags: ["--index-info"], input: sparse.map(({ info }) => info).join("") },
    { flags: ["--skip-worktree"], input: entries([...names]) },
  ];
  for (const { flags, input } of steps) {
    const done = await update(index, flags, input);
    if (!done.ok) return done;
  }
  return ok(shown);
}

const isLeftOut = ({ tag }: Entry): boolean => tag === "S";

async function entriesOf(index: SnapshotIndex): Promise<Result<Entry[], Failure>> {
  const listed = await listNames(index, ["ls-files", "-z", "-t", "--stage"]);
  if (!listed.ok) return listed;
  return ok(
    listed.value.flatMap((line) => {
      const [, tag, mode, id, name] = ENTRY.exec(line) ?? [];
      return tag === undefined || mode === undefined || name === undefined
        ? []
        : [{ tag, mode, name, info: `${mode} ${id}\t${name}\0` }];
    }),
  );
}

/** Of an unmerged file there are several stages and none is 0. */
const ENTRY = /^(\S) (\d+) ([\da-f]+) 0\t(.*)$/s;
