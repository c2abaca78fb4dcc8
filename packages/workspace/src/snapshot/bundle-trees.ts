/** Trees as one file, to take them to another repository: a git bundle with a chain of commits, one per tree, and nothing
 *  else of the repository's history. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { ObjectFormat } from "../repository/find-repository.ts";
import { DURABLE } from "./durable.ts";

const REF = "refs/uncaged/files";

/** The same trees have the same commits everywhere. */
const NOBODY = {
  GIT_AUTHOR_NAME: "uncaged-workflow",
  GIT_AUTHOR_EMAIL: "",
  GIT_AUTHOR_DATE: "@0 +0000",
  GIT_COMMITTER_NAME: "uncaged-workflow",
  GIT_COMMITTER_EMAIL: "",
  GIT_COMMITTER_DATE: "@0 +0000",
};

/** Writes the trees of a repository into `file`, which must not exist. Nothing is written to the repository. */
export async function bundleTrees({
  gitDir,
  objectFormat,
  trees,
  file,
}: {
  gitDir: string;
  objectFormat: ObjectFormat;
  trees: readonly string[];
  file: string;
}): Promise<Result<null, Failure>> {
  const folder = await mkdtemp(join(tmpdir(), "uwf-bundle-"));
  try {
    const made = await initBare(folder, objectFormat);
    if (!made.ok) return made;
    const scope = { gitDir: folder, alternates: [join(gitDir, "objects")] };
    const options = { scope, cwd: folder };
    let tip: string | null = null;
    for (const tree of trees) {
      const parent: string[] = tip === null ? [] : ["-p", tip];
      const args = ["commit-tree", ...parent, "-m", "files", tree];
      const commit: Result<string, Failure> = await runGit(args, { ...options, env: NOBODY });
      if (!commit.ok) return commit;
      tip = commit.value.trim();
    }
    const named = await runGit(["update-ref", REF, tip ?? ""], options);
    if (!named.ok) return named;
    const written = await runGit(["bundle", "create", "--quiet", file, REF], options);
    return written.ok ? ok(null) : written;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes the trees of a bundle into a repository. The bundle is untrusted: each object is checked, and no reference is
 *  written. Returns the commit that has them all, which nothing names yet. */
export async function unbundleTrees(
  gitDir: string,
  file: string,
): Promise<Result<string, Failure>> {
  const options = { scope: { gitDir }, cwd: gitDir };
  const config = [
    "fetch.fsckObjects=true",
    "fetch.writeCommitGraph=false",
    "protocol.file.allow=always",
    ...DURABLE,
  ];
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--end-of-options"];
  const fetched = await runGit([...args, file, REF], { ...options, config });
  if (!fetched.ok) return fetched;
  const heads = await runGit(["bundle", "list-heads", file, REF], options);
  if (!heads.ok) return heads;
  return ok(heads.value.split(" ")[0] ?? "");
}

/** An empty bare repository. One that is there stays. */
export async function initBare(
  gitDir: string,
  objectFormat: ObjectFormat,
): Promise<Result<null, Failure>> {
  const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${objectFormat}`];
  for (let attempt = 1; ; attempt += 1) {
    const options = { scope: null, cwd: tmpdir() };
    const made = await runGit([...args, "--end-of-options", gitDir], options);
    // Somebody else who makes it at the same time has its configuration locked.
    if (made.ok || attempt === ATTEMPTS) return made.ok ? ok(null) : made;
    await sleep(attempt * REST_MS);
  }
}

const ATTEMPTS = 5;
const REST_MS = 20;
