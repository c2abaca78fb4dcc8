/** Where the files of a thread's steps are on this machine.
 *
 *  A step names the repository that it worked in. A thread that was imported with its files has them somewhere else: a
 *  file in the storage root says where. Without one, the step's own repository counts. */
import { readdir, rm } from "node:fs/promises";
import {
  isThreadId,
  parseJson,
  type StepWorkspace,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import {
  makeFolderSync,
  readRegularFile,
  storagePaths,
  writeFileAtomic,
} from "@uncaged/workflow-util";

/** From the repository that a step names to the git folder that has its objects. */
export type FilesHere = (repository: string) => string;

const MAX_BYTES = 1024 * 1024;
const VERSION = 1;

export async function filesHere(root: string, threadId: string): Promise<FilesHere> {
  const places = await placesOf(root, threadId);
  return (repository) => places.get(repository) ?? repository;
}

/** The same step, with its repository on this machine. */
export async function stepHere<T extends Pick<StepWorkspace, "repository">>(
  root: string,
  threadId: string,
  workspace: T,
): Promise<T> {
  const here = await filesHere(root, threadId);
  return { ...workspace, repository: here(workspace.repository) };
}

/** Says where the files are of a thread that was imported, or forked from one. */
export async function placeFiles(
  root: string,
  threadId: string,
  places: ReadonlyMap<string, string>,
): Promise<void> {
  if (places.size === 0) return;
  const { workspaces, importedFiles } = storagePaths(root);
  makeFolderSync(workspaces);
  const text = JSON.stringify({ version: VERSION, places: Object.fromEntries(places) });
  const data = Buffer.from(`${text}\n`);
  await writeFileAtomic({ path: importedFiles(threadId), data, mode: 0o600, existing: "replace" });
}

/** Forgets that, and deletes the repositories that were made for imports once no other thread has files there. */
export async function dropImported(root: string, threadId: string): Promise<void> {
  const { workspaces, importedFiles, importedRepository } = storagePaths(root);
  const places = await placesOf(root, threadId);
  await rm(importedFiles(threadId), { force: true });
  if (places.size === 0) return;
  const others = (await readdir(workspaces))
    .map((name) => /^(.+)\.imported$/.exec(name)?.[1])
    .filter((id) => id !== undefined && isThreadId(id));
  const used = await Promise.all(others.map((id) => placesOf(root, id ?? "")));
  const needed = new Set(used.flatMap((each) => [...each.values()]));
  for (const gitDir of new Set(places.values())) {
    const [, owner = ""] = /([^/\\]+)\.git$/.exec(gitDir) ?? [];
    const isOurs = isThreadId(owner) && gitDir === importedRepository(owner);
    if (isOurs && !needed.has(gitDir)) await rm(gitDir, { recursive: true, force: true });
  }
}

/** None of a file that is damaged: then the files count as missing. */
export async function placesOf(root: string, threadId: string): Promise<Map<string, string>> {
  const read = await readRegularFile(storagePaths(root).importedFiles(threadId), MAX_BYTES);
  if (!read.ok) return new Map();
  const value = toJsonObject(parseJson(read.value.toString()));
  const places = value?.version === VERSION ? toJsonObject(value.places) : null;
  return new Map(
    Object.entries(places ?? {}).flatMap(([repository, here]) =>
      typeof here === "string" ? [[repository, here] as const] : [],
    ),
  );
}
