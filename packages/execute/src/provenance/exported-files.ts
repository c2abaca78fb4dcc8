/** The files of an exported thread's steps: a git bundle per repository.
 *
 *  On import they go into the repository that the caller names, or else into a bare one in the storage root; what the
 *  threads' steps name as their repository is then found there (`files-here`). */
import { constants } from "node:buffer";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  unwrap,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { makeFolderSync, readRegularFile, storagePaths } from "@uncaged/workflow-util";
import {
  brokenTrees,
  bundleTrees,
  findRepository,
  initBare,
  isFull,
  keepSnapshots,
  type ObjectFormat,
  type Repository,
  unbundleTrees,
} from "@uncaged/workflow-workspace";
import type { RecordedTrees } from "../verify/verify-files.ts";
import { filesHere, placeFiles } from "../worktrees/files-here.ts";
import type { ExportedFiles } from "./export-layout.ts";
import { invalidExport } from "./invalid-export.ts";
import type { ExportFile } from "./read-export.ts";

/** Repositories that steps name, in order, with the trees that they name there. */
export function repositoriesIn(
  files: readonly RecordedTrees[],
): (ExportedFiles & { trees: readonly string[]; threadId: string })[] {
  const found = Map.groupBy(files, ({ repository }) => repository);
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([repository, steps]) => {
      const trees = [...new Set(steps.flatMap(({ before, after }) => [before, after]))];
      const [first] = steps;
      if (first === undefined) return [];
      const { objectFormat, threadId } = first;
      return [{ repository, objectFormat, trees, threadId }];
    });
}

/** The bundle of one repository. Throws `FILES_MISSING`'s cause, `GIT_FAILED`, when its trees are not there. */
export async function bundleOf(
  root: string,
  { repository, objectFormat, trees, threadId }: ReturnType<typeof repositoriesIn>[number],
): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "uwf-export-"));
  try {
    const gitDir = (await filesHere(root, threadId))(repository);
    const file = join(folder, "files.bundle");
    unwrap(await bundleTrees({ gitDir, objectFormat, trees, file }));
    const read = await readRegularFile(file, constants.MAX_LENGTH);
    if (read.ok) return read.value;
    throw new WorkflowError(tooLarge(repository));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the files are to be kept, before anything is written. `USAGE` for a folder in no repository, or one of another
 *  object format. */
export async function placeFor(
  root: string,
  file: ExportFile,
  into: string | null,
): Promise<Result<FilesPlace | null, Failure>> {
  if (file.files.length === 0) return into === null ? ok(null) : err(withoutFiles(file.path));
  const [{ objectFormat } = { objectFormat: "sha1" as const }] = file.files;
  if (file.files.some((each) => each.objectFormat !== objectFormat))
    return err(invalidExport(file.path, "its repositories have different object formats"));
  if (into === null) {
    const gitDir = storagePaths(root).importedRepository(file.threads[0].threadId);
    return ok({ kind: "bare", gitDir, objectFormat });
  }
  const found = await findRepository(into);
  if (!found.ok) return found;
  if (found.value === null) return err(noRepository(into));
  if (found.value.objectFormat !== objectFormat) return err(otherFormat(found.value, objectFormat));
  return ok({ kind: "given", gitDir: found.value.commonDir, objectFormat });
}

export type FilesPlace = {
  kind: "bare" | "given";
  gitDir: string;
  objectFormat: ObjectFormat;
};

/** Order of effects: objects, references that keep them, then where they are. A crash in between leaves what the same
 *  import finds again. `EXPORT_INVALID` when a tree that a step names is not in the bundles. */
export async function importFiles(
  root: string,
  file: ExportFile,
  { place, trees }: { place: FilesPlace; trees: readonly RecordedTrees[] },
): Promise<Result<null, Failure>> {
  const { gitDir } = place;
  if (place.kind === "bare") {
    makeFolderSync(storagePaths(root).workspaces);
    const made = await initBare(gitDir, place.objectFormat);
    if (!made.ok) return made;
  }
  const tips: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), "uwf-import-"));
  try {
    for (const at of file.files.keys()) {
      const path = join(folder, `${at}.bundle`);
      await writeFile(path, await file.filesOf(at), { mode: 0o600 });
      const taken = await unbundleTrees(gitDir, path);
      if (!taken.ok) {
        // What is wrong with the disk is not wrong with the export.
        const { message } = taken.error;
        return isFull(message) ? taken : err(invalidExport(file.path, message));
      }
      tips.push(taken.value);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const all = trees.flatMap(({ before, after }) => [before, after]);
  const broken = await brokenTrees(gitDir, all);
  if (!broken.ok) return broken;
  const [first] = broken.value;
  if (first !== undefined)
    return err(invalidExport(file.path, `it lacks files: tree ${first.tree}: ${first.reason}`));
  const places = new Map(file.files.map(({ repository }) => [repository, gitDir]));
  for (const { threadId } of file.threads) {
    const kept = await keepSnapshots(gitDir, { threadId, tips });
    if (!kept.ok) return kept;
    await placeFiles(root, threadId, places);
  }
  return ok(null);
}

function withoutFiles(path: string): Failure {
  return failure(
    "USAGE",
    `${path} has no files to bring into a repository`,
    "export it with: uncaged-workflow thread export <id> --with-files",
  );
}

function noRepository(folder: string): Failure {
  return failure(
    "USAGE",
    `${folder} is in no work tree of a git repository`,
    "name one with --into, or leave it out: then the files are kept in the storage root",
  );
}

function otherFormat({ workTree, objectFormat }: Repository, wanted: ObjectFormat): Failure {
  return failure(
    "USAGE",
    `the repository at ${workTree} has ${objectFormat} objects, and the files are ${wanted}`,
    "leave out --into: then the files are kept in the storage root",
  );
}

function tooLarge(repository: string): Failure {
  return failure(
    "STORAGE_FAILED",
    `the files of ${repository} are too large for an export`,
    "export without --with-files, and clone the repository",
  );
}
