import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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
  /** A scope with an index of its own. */
  scope(index: string, workTree?: string): GitScope;
  remove(): Promise<void>;
};

/** No attribute of a tree counts: files are checked out byte for byte as they are stored. */
const ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding\n";

export async function openScratch(repository: Repository): Promise<Result<Scratch, Failure>> {
  const folder = await mkdtemp(join(tmpdir(), "uwf-check-"));
  const gitDir = join(folder, "git");
  const init = [
    "init",
    "-q",
    "--bare",
    "--template=",
    `--object-format=${repository.objectFormat}`,
  ];
  const made = await runGit([...init, gitDir], { scope: null, cwd: folder });
  if (!made.ok) {
    await rm(folder, { recursive: true, force: true });
    return made;
  }
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "info", "attributes"), ATTRIBUTES);
  const objects = await objectFolders(join(repository.commonDir, "objects"));
  return ok({
    folder,
    gitDir,
    objects,
    scope: (index, workTree) => ({
      gitDir,
      index: join(folder, index),
      alternates: objects,
      ...(workTree === undefined ? {} : { workTree }),
    }),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  });
}

/** The repository's folder of objects, and those that it borrows from. */
async function objectFolders(folder: string): Promise<string[]> {
  const borrowed = await readFile(join(folder, "info", "alternates"), "utf8").catch(() => "");
  const more = borrowed.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return [folder, ...more.map((path) => (isAbsolute(path) ? path : resolve(folder, path)))];
}
