import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { findRepository, type Repository } from "../repository/find-repository.ts";
import { type RegisteredWorktree, registeredWorktrees } from "./registered-worktrees.ts";
import { type Unsaved, unsavedIn } from "./unsaved-in.ts";

/** A worktree, and what would be lost with it; null: its folder is gone. */
export type Worktree = RegisteredWorktree & { unsaved: Unsaved | null };

/** All worktrees of a repository except the main one. */
export async function listWorktrees(
  repository: Pick<Repository, "commonDir">,
): Promise<Result<Worktree[], Failure>> {
  const registered = await registeredWorktrees(repository);
  if (!registered.ok) return registered;
  const worktrees: Worktree[] = [];
  for (const each of registered.value.slice(1)) {
    const found = each.isMissing ? ok(null) : await findRepository(each.path);
    if (!found.ok) return found;
    const unsaved = found.value === null ? ok(null) : await unsavedIn(found.value);
    if (!unsaved.ok) return unsaved;
    worktrees.push({ ...each, unsaved: unsaved.value });
  }
  return ok(worktrees);
}
