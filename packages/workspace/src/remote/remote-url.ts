import { isAbsolute, resolve } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { tryGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";

/** URL of `origin`; a path is made absolute. null: there is none. */
export async function originUrl({
  commonDir,
  workTree,
}: Pick<Repository, "commonDir" | "workTree">): Promise<Result<string | null, Failure>> {
  const args = ["config", "--local", "--get", "remote.origin.url"];
  const asked = await tryGit(args, { scope: { gitDir: commonDir }, cwd: commonDir });
  if (!asked.ok) return asked;
  const url = asked.value.stdout.trim();
  if (asked.value.exitCode !== 0 || url === "") return ok(null);
  return ok(isPath(url) && !isAbsolute(url) ? resolve(workTree, url) : url);
}

/** Neither `scheme://…` nor `host:path`, as git tells them apart. */
function isPath(url: string): boolean {
  const colon = url.indexOf(":");
  const slash = url.indexOf("/");
  return colon === -1 || (slash !== -1 && slash < colon);
}

/** Without user and password, which belong to the machine. `ssh` needs its user. */
export function openUrl(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");
}
