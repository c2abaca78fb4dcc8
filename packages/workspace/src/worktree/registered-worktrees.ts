import { existsSync } from "node:fs";
import type { Failure, Result } from "@uncaged/workflow-protocol";
import { ok } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../repository/find-repository.ts";

/** A work tree as git knows it. */
export type RegisteredWorktree = {
  path: string;
  /** null: an unborn branch, or a bare repository. */
  head: string | null;
  /** Without `refs/heads/`; null: HEAD is detached. */
  branch: string | null;
  isBare: boolean;
  isLocked: boolean;
  /** Its folder is gone. */
  isMissing: boolean;
};

/** Every work tree of a repository; the main one, or the bare repository, is first. */
export async function registeredWorktrees({
  commonDir,
}: Pick<Repository, "commonDir">): Promise<Result<RegisteredWorktree[], Failure>> {
  const listed = await runGit(["worktree", "list", "--porcelain", "-z"], {
    scope: { gitDir: commonDir },
    cwd: commonDir,
  });
  if (!listed.ok) return listed;
  return ok(listed.value.split("\0\0").filter(Boolean).map(worktreeOf));
}

function worktreeOf(text: string): RegisteredWorktree {
  const fields = new Map(
    text.split("\0").map((line) => {
      const space = line.indexOf(" ");
      return space === -1 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
    }),
  );
  const path = fields.get("worktree") ?? "";
  const head = fields.get("HEAD") ?? null;
  return {
    path,
    head: head === null || /^0+$/.test(head) ? null : head,
    branch: fields.get("branch")?.replace(/^refs\/heads\//, "") ?? null,
    isBare: fields.has("bare"),
    isLocked: fields.has("locked"),
    isMissing: !existsSync(path),
  };
}
