/** Trees of a check, made and compared in its own repository.
 *
 *  Git does not check that an object has the content that its name says, so a made-up object could stand in for a file.
 *  Therefore no tree's name is trusted: names are recomputed from the entries here, and those of its files
 *  from what was checked out (`checkout.ts`). */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { IndexFile, Scratch } from "./scratch.ts";

/** `mode` 000000 and a null id remove the path. */
export type TreeEntry = { path: string; mode: string; id: string };

export const LINK_MODE = "120000";
export const SUBMODULE_MODE = "160000";

export type Change = { path: string; base: TreeEntry | null; now: TreeEntry | null };

/** Paths in which two trees differ, of those that fit one of `pathspecs`; none given: all. */
export async function changedPaths(
  scratch: Scratch,
  { base, tree, pathspecs = [] }: { base: string; tree: string; pathspecs?: readonly string[] },
): Promise<Result<Change[], Failure>> {
  const ends = ["--end-of-options", base, tree, "--", ...pathspecs];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
  const raw = await git(scratch, [...args, ...ends]);
  if (!raw.ok) return raw;
  const fields = raw.value.split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [from = "", to = "", fromId = "", toId = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = fields[at + 1] ?? "";
    const entry = (mode: string, id: string): TreeEntry | null =>
      mode === ABSENT ? null : { path, mode, id };
    changes.push({ path, base: entry(from, fromId), now: entry(to, toId) });
  }
  return ok(changes);
}

const ABSENT = "000000";

/** The index of a tree, in which every tree's name was recomputed. */
export async function indexOf(scratch: Scratch, tree: string): Promise<Result<IndexFile, Failure>> {
  const known = scratch.indexes.get(tree);
  if (known !== undefined) return ok(known);
  const listed = await git(scratch, ["ls-tree", "-r", "-z", "--full-tree", tree]);
  if (!listed.ok) return listed;
  const made = await makeIndex(scratch, { from: null, entries: listed.value });
  if (!made.ok) return made;
  return made.value.tree === tree ? ok(made.value.index) : err(damaged(tree));
}

/** Those of a tree's entries that fit one of `pathspecs`. */
export async function treeEntries(
  scratch: Scratch,
  { tree, pathspecs }: { tree: string; pathspecs: readonly string[] },
): Promise<Result<TreeEntry[], Failure>> {
  const index = await indexOf(scratch, tree);
  if (!index.ok) return index;
  const name = await scratch.put(index.value);
  const found = await git(scratch, ["ls-files", "-z", "--stage", "--", ...pathspecs], {
    index: name,
  });
  return found.ok ? ok(parseEntries(found.value)) : found;
}

/** The tree with these entries put in place of its own. */
export async function treeWith(
  scratch: Scratch,
  { tree, changes }: { tree: string; changes: readonly TreeEntry[] },
): Promise<Result<string, Failure>> {
  const from = await indexOf(scratch, tree);
  if (!from.ok) return from;
  const entries = changes.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join("");
  const made = await makeIndex(scratch, { from: from.value, entries });
  return made.ok ? ok(made.value.tree) : made;
}

/** The entry that takes the place of whatever is at this path: what the base has there. */
export function asAtBase({ path, base }: Change, tree: string): TreeEntry {
  return base ?? { path, mode: "0", id: "0".repeat(tree.length) };
}

/** `entries`: as `git ls-tree -z` prints them. */
async function makeIndex(
  scratch: Scratch,
  { from, entries }: { from: IndexFile | null; entries: string },
): Promise<Result<{ tree: string; index: IndexFile }, Failure>> {
  const name = await scratch.put(from);
  const put = await git(scratch, ["update-index", "-z", "--index-info"], {
    index: name,
    input: entries,
  });
  if (!put.ok) return put;
  const written = await git(scratch, ["write-tree"], { index: name });
  if (!written.ok) return written;
  const tree = written.value.trim();
  const index = await scratch.take(name);
  scratch.indexes.set(tree, index);
  return ok({ tree, index });
}

/** Of `git ls-files --stage -z`. */
function parseEntries(text: string): TreeEntry[] {
  return text.split("\0").flatMap((line) => {
    const tab = line.indexOf("\t");
    const [mode = "", id = ""] = line.slice(0, tab).split(" ");
    return tab < 0 ? [] : [{ mode, id, path: line.slice(tab + 1) }];
  });
}

export function damaged(tree: string): Failure {
  return failure(
    "GIT_FAILED",
    `objects of tree ${tree} do not have the content that their names say`,
    "somebody changed the repository's objects: see git fsck, then restore them",
  );
}

async function git(
  scratch: Scratch,
  args: readonly string[],
  { index, input }: { index?: string; input?: string } = {},
): Promise<Result<string, Failure>> {
  return runGit(args, {
    scope: scratch.scope(index),
    cwd: scratch.folder,
    maxBytes: MAX_LISTING_BYTES,
    ...(input === undefined ? {} : { input }),
  });
}

const MAX_LISTING_BYTES = 1024 * 1024 * 1024;
