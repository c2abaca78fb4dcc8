/** How snapshots are sent to a remote, and got from there.
 *
 *  1. Git works in a git dir of our own, over the objects of the repository: nothing of the repository's configuration,
 *     which an agent can write, is read, so it cannot rewrite the URL or name a program.
 *  2. Of the user's configuration counts how they reach remotes. Nobody is asked for a password.
 *  3. Only these protocols, whatever a URL or a redirection says; a URL follows `--`. */
import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type GitOptions, runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";
import { withPlainGitDir } from "../worktree/plain-git-dir.ts";
import { remoteAccess } from "./remote-access.ts";

const PROTOCOLS = "file:git:http:https:ssh";
const PATIENCE_MS = 120_000;

export type TravelPlace = Pick<Repository, "commonDir" | "objectFormat">;

export function withTravelGit<T>(
  { commonDir, objectFormat }: TravelPlace,
  use: (options: GitOptions) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const place = { commonDir, objectFormat, workTree: null, index: null, head: null };
  return withPlainGitDir(place, async ({ gitDir, scope, cwd }) => {
    // Where the history of a shallow clone ends.
    await copyFile(
      join(commonDir, "shallow"),
      join(gitDir, "shallow"),
      constants.COPYFILE_EXCL,
    ).catch(() => undefined);
    const access = await remoteAccess(process.env, { scope, cwd });
    if (!access.ok) return access;
    const { config, env } = access.value;
    return use({
      ...{ scope, cwd, config, timeoutMs: PATIENCE_MS },
      env: { ...env, GIT_ALLOW_PROTOCOL: PROTOCOLS },
    });
  });
}

/** The commit that a remote has at a reference; null: it has no such reference. */
export async function remoteTip(
  { url, ref }: { url: string; ref: string },
  options: GitOptions,
): Promise<Result<string | null, Failure>> {
  const listed = await runGit(["ls-remote", "--quiet", "--", url, ref], options);
  if (!listed.ok) return listed;
  const line = listed.value.split("\n").find((each) => each.endsWith(`\t${ref}`));
  return ok(line?.split("\t")[0] ?? null);
}
