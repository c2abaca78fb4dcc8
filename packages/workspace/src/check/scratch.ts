import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { GitScope } from "../git/git-scope.ts";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";

/** A folder for one check, with a repository of our own: nothing in the agent's counts but its objects. */
export type Scratch = {
  folder: string;
  gitDir: string;
  /** Folders with objects of the repository: only read. */
  objects: readonly string[];
  /** A scope with an index of its own: its name in the folder. Left out: the command needs none. */
  scope(index?: string, workTree?: string): GitScope;
  /** By name of tree. In memory, like all that decides what is compared: a run may be able to write to the folder. */
  indexes: Map<string, IndexFile>;
  commits: Map<string, string>;
  /** Configuration of a repository with files. */
  config: string;
  /** Makes a file for an index, and returns its name. Null: git is to make it. */
  put(index: IndexFile | null): Promise<string>;
  /** Reads such a file. */
  take(name: string): Promise<IndexFile>;
  remove(): Promise<void>;
};

/** Git reads a file again if it may have changed after its index was written, so the time belongs to it. */
export type IndexFile = { bytes: Uint8Array; mtime: Date };

export async function writeIndex(file: string, { bytes, mtime }: IndexFile): Promise<void> {
  await writeFile(file, bytes);
  await utimes(file, mtime, mtime);
}

/** No attribute of a tree counts: files are checked out byte for byte as they are stored. */
const ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding\n";

export async function openScratch(repository: Repository): Promise<Result<Scratch, Failure>> {
  const folder = await mkdtemp(join(tmpdir(), "uwf-check-"));
  const gitDir = join(folder, "git", ".git");
  const init = ["init", "-q", "--template=", `--object-format=${repository.objectFormat}`, "git"];
  const made = await runGit(init, { scope: null, cwd: folder });
  if (!made.ok) {
    await rm(folder, { recursive: true, force: true });
    return made;
  }
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "info", "attributes"), ATTRIBUTES);
  const objects = await objectFolders(join(repository.commonDir, "objects"));
  let counter = 0;
  return ok({
    folder,
    gitDir,
    objects,
    scope: (index = "none", workTree) => ({
      gitDir,
      index: join(folder, index),
      alternates: objects,
      ...(workTree === undefined ? {} : { workTree }),
    }),
    indexes: new Map(),
    commits: new Map(),
    config: await readFile(join(gitDir, "config"), "utf8"),
    async put(index) {
      const name = `${counter++}.index`;
      if (index !== null) await writeIndex(join(folder, name), index);
      return name;
    },
    async take(name) {
      const file = join(folder, name);
      return { bytes: await readFile(file), mtime: (await stat(file)).mtime };
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  });
}

/** The repository's folder of objects, and those that it borrows from. */
async function objectFolders(folder: string): Promise<string[]> {
  const borrowed = await readFile(join(folder, "info", "alternates"), "utf8").catch(() => "");
  const more = borrowed.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return [folder, ...more.map((path) => (isAbsolute(path) ? path : resolve(folder, path)))];
}
