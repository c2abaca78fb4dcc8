import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { gitFailed, runGit, tryGit } from "../git/run-git.ts";

export type ObjectFormat = "sha1" | "sha256";

/** A work tree and the repository behind it. All paths are absolute, with symbolic links resolved. */
export type Repository = {
  /** Root of the work tree. */
  workTree: string;
  /** The work tree's own part: index, HEAD. */
  gitDir: string;
  /** What all work trees share: objects, refs, configuration. Equal to `gitDir` in the main work tree. */
  commonDir: string;
  objectFormat: ObjectFormat;
};

/** The repository whose work tree contains `folder`; null: none (no repository, a bare one, or inside `.git`). */
export async function findRepository(folder: string): Promise<Result<Repository | null, Failure>> {
  const asked = await tryGit(QUESTION, { scope: null, cwd: folder });
  if (!asked.ok) return asked;
  const { exitCode, stdout, stderr } = asked.value;
  if (stdout.startsWith("false\n") || /not a git repository/.test(stderr)) return ok(null);
  // Such as a configuration that git cannot read: there is a repository, and nobody can say what is in it.
  if (exitCode !== 0) return err(gitFailed(QUESTION, stderr.trim()));
  const [, format, gitDir, commonDir, workTree, ...more] = stdout.split("\n");
  if (gitDir === undefined || commonDir === undefined || workTree === undefined) return ok(null);
  if (more.length !== 1) return err(gitFailed(QUESTION, `a path with a line break: ${folder}`));
  return ok({
    workTree: await realpath(workTree),
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    objectFormat: format === "sha256" ? "sha256" : "sha1",
  });
}

/** The repository of a folder that all its work trees share, looked at from its main work tree or, of a bare one, from the
 *  folder that it is in. */
export async function repositoryAt(commonDir: string): Promise<Result<Repository, Failure>> {
  const args = ["rev-parse", "--show-object-format"];
  const format = await runGit(args, { scope: { gitDir: commonDir }, cwd: commonDir });
  if (!format.ok) return format;
  const objectFormat = format.value.trim() === "sha256" ? "sha256" : "sha1";
  return ok({ workTree: dirname(commonDir), gitDir: commonDir, commonDir, objectFormat });
}

const QUESTION = [
  "rev-parse",
  "--is-inside-work-tree",
  "--show-object-format",
  "--path-format=absolute",
  "--git-dir",
  "--git-common-dir",
  "--show-toplevel",
];

/** The commit that HEAD names; null: an unborn branch. */
export async function headOf(repository: Repository): Promise<Result<string | null, Failure>> {
  const asked = await tryGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], {
    scope: { gitDir: repository.gitDir },
    cwd: repository.workTree,
  });
  if (!asked.ok) return asked;
  return ok(asked.value.exitCode === 0 ? asked.value.stdout.trim() : null);
}

/** The branch that HEAD is on, without `refs/heads/`; null: detached. */
export async function branchOf(repository: Repository): Promise<Result<string | null, Failure>> {
  const asked = await tryGit(["symbolic-ref", "--quiet", "HEAD"], {
    scope: { gitDir: repository.gitDir },
    cwd: repository.workTree,
  });
  if (!asked.ok) return asked;
  return ok(asked.value.exitCode === 0 ? withoutHeads(asked.value.stdout.trim()) : null);
}

/** Not git's own `--short`: that adds a word when something else has the name, too. */
const withoutHeads = (ref: string): string => ref.replace(/^refs\/heads\//, "");
