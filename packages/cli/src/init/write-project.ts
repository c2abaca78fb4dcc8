/** Writes the files of a new project into a folder that does not exist yet, or is empty.
 *
 *  1. All or nothing: they are written into a temporary folder, which is moved into place at the end; after a
 *     failure nothing of ours is left.
 *  2. Existing files are never overwritten. */
import { constants, copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { isErrno, randomTag, storageFailed } from "@uncaged/workflow-util";

/** `path` is relative to the project, with `/`. */
export type ProjectFile = { path: string; text: string } | { path: string; copyOf: string };

/** `target` is absolute. `TARGET_EXISTS` when something is already there, `STORAGE_FAILED` when it cannot be
 *  written. */
export async function writeProject(
  target: string,
  files: readonly ProjectFile[],
): Promise<Result<void, Failure>> {
  const made: string[] = [];
  try {
    const state = await stateOf(target);
    if (state === "taken") return err(taken(target));
    const parent = state === "empty" ? target : dirname(target);
    const first = await mkdir(parent, { recursive: true });
    if (first !== undefined) made.push(first);
    const stage = join(parent, `.${basename(target)}.${randomTag(8)}.tmp`);
    made.push(stage);
    await writeFiles(stage, files);
    if (state === "empty") await moveEntries({ from: stage, to: target, made });
    else await renameFolder(stage, target);
    return ok(undefined);
  } catch (cause) {
    // The newest first: the content goes before its container.
    for (const path of made.reverse()) await rm(path, { recursive: true, force: true });
    return err(storageFailed(`cannot create the project ${target}`, cause).failure);
  }
}

async function stateOf(target: string): Promise<"absent" | "empty" | "taken"> {
  try {
    return (await readdir(target)).length === 0 ? "empty" : "taken";
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return "absent";
    if (isErrno(cause, "ENOTDIR")) return "taken";
    throw cause;
  }
}

async function writeFiles(folder: string, files: readonly ProjectFile[]): Promise<void> {
  for (const each of files) {
    const file = join(folder, ...each.path.split("/"));
    await mkdir(dirname(file), { recursive: true });
    if ("text" in each) await writeFile(file, each.text, { flag: "wx" });
    else await copyFile(each.copyOf, file, constants.COPYFILE_EXCL);
  }
}

/** Someone else may have been faster to create a folder of that name. */
async function renameFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (cause) {
    if (isErrno(cause, "ENOTEMPTY", "EEXIST", "ENOTDIR"))
      throw new WorkflowError(taken(to), { cause });
    throw cause;
  }
}

/** A folder that is somebody's working directory must remain the same folder, so its entries are moved. */
async function moveEntries({
  from,
  to,
  made,
}: {
  from: string;
  to: string;
  made: string[];
}): Promise<void> {
  for (const entry of await readdir(from)) {
    await rename(join(from, entry), join(to, entry));
    made.push(join(to, entry));
  }
  await rm(from, { recursive: true });
}

function taken(target: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${target} already exists and is not an empty folder; nothing was written`,
    "name a folder that does not exist yet",
  );
}
