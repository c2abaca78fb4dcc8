/** Takes back what was made for a task: worktrees of all its attempts, its branch. Nothing is removed that is not in a
 *  commit that a ref has. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { err, type Failure, failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import {
  archiveWorktree,
  findRepository,
  registeredWorktrees,
  removeWorktree,
  runGit,
} from "@uncaged/workflow-workspace";
import {
  isAncestor,
  localBranch,
  moveLocalBranch,
  moveSharedBranch,
  sharedBranch,
} from "./git/branches.ts";
import type { TaskPlace } from "./git/task-place.ts";
import { pushedRefs } from "./verbs/finish-task.ts";

export type CleanUp = {
  /** Keeps files and commits first. */
  archive: boolean;
  worktrees: boolean;
  /** `merged`: only if all of it is in the integration branch. */
  branch: "never" | "merged" | "always";
};

/** `WORKTREE_UNSAVED`, `GIT_FAILED`. Doing it again goes on. */
export async function cleanUp(
  place: TaskPlace,
  task: Task,
  { archive, worktrees, branch }: CleanUp,
): Promise<Result<void, Failure>> {
  const paths = await worktreesOf(place, task);
  if (!paths.ok) return paths;
  const archiveRef = `refs/uncaged/archive/${task.id}/${task.attempt}`;
  if (archive) {
    const kept = await keepBranch(place, task, `${archiveRef}/branch`);
    if (!kept.ok) return kept;
  }
  for (const [at, path] of paths.value.entries()) {
    const recorded = archive
      ? await archived(place, path, `${archiveRef}/files-${at + 1}`)
      : ok(null);
    if (!recorded.ok) return recorded;
    if (!worktrees) continue;
    const tree = recorded.value === null ? {} : { recorded: recorded.value };
    const removed = await removeWorktree({ repository: place.repository, path, ...tree });
    if (!removed.ok) return archive ? removed : err(withArchive(removed.error, task));
  }
  return branch === "never" ? ok(undefined) : removeBranch(place, task, branch);
}

async function worktreesOf(place: TaskPlace, task: Task): Promise<Result<string[], Failure>> {
  const registered = await registeredWorktrees(place.repository);
  if (!registered.ok) return registered;
  const folder = dirname(task.worktree);
  const own = [`${folder}/${task.id}`];
  for (let attempt = 2; attempt <= task.attempt; attempt += 1) own.push(`${own[0]}.${attempt}`);
  return ok(registered.value.slice(1).flatMap(({ path }) => (own.includes(path) ? [path] : [])));
}

/** The tree of its files; null: it is gone. */
async function archived(
  { identity }: TaskPlace,
  path: string,
  ref: string,
): Promise<Result<string | null, Failure>> {
  const found = existsSync(path) ? await findRepository(path) : ok(null);
  if (!found.ok) return found;
  return found.value === null ? ok(null) : archiveWorktree(found.value, { ref, identity });
}

async function keepBranch(
  place: TaskPlace,
  { branch }: Task,
  ref: string,
): Promise<Result<void, Failure>> {
  const tip = await localBranch(place, branch);
  if (!tip.ok || tip.value === null) return tip.ok ? ok(undefined) : tip;
  const kept = await runGit(["update-ref", ref, tip.value], place.local);
  return kept.ok ? ok(undefined) : kept;
}

async function removeBranch(
  place: TaskPlace,
  task: Task,
  how: "merged" | "always",
): Promise<Result<void, Failure>> {
  const sides = [
    { find: localBranch, move: moveLocalBranch },
    { find: sharedBranch, move: moveSharedBranch },
  ];
  for (const { find, move } of place.remote === null ? sides.slice(0, 1) : sides) {
    const tip = await find(place, task.branch);
    if (!tip.ok) return tip;
    if (tip.value === null) continue;
    const isIn = how === "always" ? ok(true) : await isMerged(place, task, tip.value);
    if (!isIn.ok) return isIn;
    if (!isIn.value) return err(hasMore(task, tip.value));
    const moved = await move(place, { branch: task.branch, from: tip.value, to: null });
    if (!moved.ok) return moved;
  }
  return forgetPushed(place, task);
}

async function isMerged(
  place: TaskPlace,
  { integration }: Task,
  tip: string,
): Promise<Result<boolean, Failure>> {
  const into = await sharedBranch(place, integration);
  if (!into.ok || into.value === null) return into.ok ? ok(false) : into;
  return isAncestor(place, tip, into.value);
}

async function forgetPushed(place: TaskPlace, task: Task): Promise<Result<void, Failure>> {
  const refs = await runGit(["for-each-ref", "--format=%(refname)", pushedRefs(task)], place.local);
  if (!refs.ok) return refs;
  for (const ref of refs.value.split("\n").filter(Boolean)) {
    const gone = await runGit(["update-ref", "-d", ref], place.local);
    if (!gone.ok) return gone;
  }
  return ok(undefined);
}

function withArchive(reason: Failure, { id }: Task): Failure {
  if (reason.code !== "WORKTREE_UNSAVED") return reason;
  const hint = `commit it there, or keep it aside: uncaged-workflow task cancel ${id} --cleanup --archive`;
  return failure(reason.code, reason.message, hint);
}

function hasMore({ id, branch }: Task, tip: string): Failure {
  return failure(
    "WORKTREE_UNSAVED",
    `${branch} has commits that are not merged: it is at ${tip}`,
    `keep them aside and remove it: uncaged-workflow task cancel ${id} --cleanup --archive`,
  );
}
