/** Trees of a check, made and compared in its own repository.
 *
 *  Git does not check that an object has the content that its name says, so a made-up object could stand in for a file.
 *  Therefore no tree's name is trusted: names are recomputed from the entries here, and those of its files
 *  from what was checked out (`checkout.ts`). */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { Scratch } from "./scratch.ts";

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

/** Reads a tree into an index, recomputes the tree's name, and returns its entries that fit. */
export async function readTree(
  scratch: Scratch,
  { tree, index, pathspecs = [] }: { tree: string; index: string; pathspecs?: readonly string[] },
): Promise<Result<TreeEntry[], Failure>> {
  const listed = await git(scratch, ["ls-tree", "-r", "-z", "--full-tree", tree]);
  if (!listed.ok) return listed;
  const entries = parseEntries(listed.value);
  const same = await writeEntries(scratch, { entries, index });
  if (!same.ok) return same;
  if (same.value !== tree) return err(damaged(tree));
  if (pathspecs.length === 0) return ok(entries);
  const found = await git(scratch, ["ls-files", "-z", "--", ...pathspecs], { index });
  if (!found.ok) return found;
  const names = new Set(found.value.split("\0"));
  return ok(entries.filter(({ path }) => names.has(path)));
}

/** The tree with these entries put in place of its own. */
export async function treeWith(
  scratch: Scratch,
  { tree, changes }: { tree: string; changes: readonly TreeEntry[] },
): Promise<Result<string, Failure>> {
  const index = `edit-${counter++}`;
  const read = await readTree(scratch, { tree, index });
  return read.ok ? writeEntries(scratch, { entries: changes, index }) : read;
}

let counter = 0;

/** The entry that takes the place of whatever is at this path: what the base has there. */
export function asAtBase({ path, base }: Change, tree: string): TreeEntry {
  return base ?? { path, mode: "0", id: "0".repeat(tree.length) };
}

async function writeEntries(
  scratch: Scratch,
  { entries, index }: { entries: readonly TreeEntry[]; index: string },
): Promise<Result<string, Failure>> {
  const input = entries.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join("");
  const put = await git(scratch, ["update-index", "-z", "--index-info"], { index, input });
  if (!put.ok) return put;
  const written = await git(scratch, ["write-tree"], { index });
  return written.ok ? ok(written.value.trim()) : written;
}

function parseEntries(text: string): TreeEntry[] {
  return text.split("\0").flatMap((line) => {
    const tab = line.indexOf("\t");
    const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
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
  { index = "none", input }: { index?: string; input?: string } = {},
): Promise<Result<string, Failure>> {
  return runGit(args, {
    scope: scratch.scope(index),
    cwd: scratch.folder,
    maxBytes: MAX_LISTING_BYTES,
    ...(input === undefined ? {} : { input }),
  });
}

const MAX_LISTING_BYTES = 1024 * 1024 * 1024;
