/** `task done`: the branch is rebased onto the integration branch, pushed and offered for review.
 *
 *  The order is: rebase, push, IN_REVIEW. After a crash anywhere `done` is called again: a rebase goes on, what was
 *  pushed by this task is recognised, and the state comes last. */
import { err, type Failure, failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import {
  branchOf,
  findRepository,
  headOf,
  type Repository,
  runGit,
  tryGit,
  underwayIn,
  unsavedIn,
} from "@uncaged/workflow-workspace";
import { integrationTip, isAncestor, moveSharedBranch, sharedBranch } from "../git/branches.ts";
import { rebaseBranch } from "../git/rebase-branch.ts";
import { changeTask, notFrom, ownTask, type TaskDesk } from "../task-desk.ts";

/** `GIT_FAILED`, `TASK_CONFLICT`, `WORKTREE_UNSAVED`, `TRANSITION_INVALID`, `TASK_LOST`. */
export async function finishTask(
  desk: TaskDesk,
  { id, skipRebase }: { id: string | null; skipRebase: boolean },
): Promise<Result<Task, Failure>> {
  const own = await ownTask(desk, id);
  if (!own.ok) return own;
  const { task, who } = own.value;
  const worktree = await worktreeOn(task);
  if (!worktree.ok) return worktree;
  if (["IN_REVIEW", "APPROVED", "COMPLETED"].includes(task.state))
    return offered(task, worktree.value);
  if (task.state !== "WORKING" && task.state !== "CONFLICTED")
    return err(notFrom(task, "IN_REVIEW"));
  const saved = await allCommitted(worktree.value);
  if (!saved.ok) return saved;
  const onto = await integrationTip(desk.place, task.integration);
  if (!onto.ok) return onto;
  const { tip } = onto.value;
  const ready = skipRebase
    ? await isOnTop(desk, worktree.value, tip)
    : await rebased(desk, { task, who, worktree: worktree.value, tip });
  if (!ready.ok) return ready;
  const head = await headOf(worktree.value);
  if (!head.ok) return head;
  if (head.value === null) return err(unborn(task));
  const pushed = await offer(desk, task, head.value);
  if (!pushed.ok) return pushed;
  return changeTask(desk, {
    task: ready.value ?? task,
    to: "IN_REVIEW",
    set: { who, head: head.value, note: null },
    message: { type: "review_request", who, text: head.value },
  });
}

/** The worktree, on the task's branch unless a rebase is in progress. */
export async function worktreeOn(task: Task): Promise<Result<Repository, Failure>> {
  const found = await findRepository(task.worktree).catch(() => ok(null));
  if (!found.ok) return found;
  if (found.value === null || found.value.workTree !== task.worktree)
    return err(
      failure(
        "GIT_FAILED",
        `the worktree of task ${task.id} is gone: ${task.worktree}`,
        "have it given out again: uncaged-workflow task fail, then task retry",
      ),
    );
  if (underwayIn(found.value) === "rebase") return ok(found.value);
  const branch = await branchOf(found.value);
  if (!branch.ok) return branch;
  if (branch.value === task.branch) return ok(found.value);
  return err(
    failure(
      "GIT_FAILED",
      `the worktree of task ${task.id} is on ${branch.value ?? "no branch"}, not on ${task.branch}`,
      `bring the work to its branch: git switch ${task.branch}`,
    ),
  );
}

/** Doing it again is fine, unless there is more than what was offered. */
async function offered(task: Task, worktree: Repository): Promise<Result<Task, Failure>> {
  const head = await headOf(worktree);
  if (!head.ok) return head;
  if (head.value === task.head) return ok(task);
  return err(
    failure(
      "TRANSITION_INVALID",
      `task ${task.id} is ${task.state} with ${task.head}, and there are commits after it`,
      "ask for changes to be requested (task request-changes), then call task done again",
    ),
  );
}

async function allCommitted(worktree: Repository): Promise<Result<void, Failure>> {
  const underway = underwayIn(worktree);
  if (underway === "rebase") return ok(undefined);
  const unsaved = await unsavedIn(worktree);
  if (!unsaved.ok) return unsaved;
  const { changes } = unsaved.value;
  if (changes.length === 0 && underway === null) return ok(undefined);
  const what =
    underway === null
      ? changes
          .slice(0, 5)
          .map((path) => JSON.stringify(path))
          .join(", ")
      : `a ${underway} that has not ended`;
  return err(
    failure(
      "WORKTREE_UNSAVED",
      `${worktree.workTree} has what is in no commit: ${what}`,
      "commit it, ignore it or throw it away, then call task done again",
    ),
  );
}

async function isOnTop(
  { place }: TaskDesk,
  worktree: Repository,
  tip: string,
): Promise<Result<null, Failure>> {
  if (underwayIn(worktree) !== null)
    return err(notOnTop("a rebase is in progress", "end it: git rebase --continue"));
  const head = await headOf(worktree);
  if (!head.ok) return head;
  const isOnIt = await isAncestor(place, tip, head.value ?? tip);
  if (!isOnIt.ok) return isOnIt;
  if (isOnIt.value) return ok(null);
  return err(notOnTop("the branch is behind the integration branch", "leave --skip-rebase out"));
}

function notOnTop(why: string, hint: string): Failure {
  return failure("TRANSITION_INVALID", `--skip-rebase: ${why}`, hint);
}

type Attempt = { task: Task; who: string; worktree: Repository; tip: string };

/** The task as it is then; null: unchanged. */
async function rebased(
  desk: TaskDesk,
  { task, who, worktree, tip }: Attempt,
): Promise<Result<Task | null, Failure>> {
  // A rebase that goes on may have begun on an older tip, so it is followed by one onto this tip.
  for (let isFirst = true; ; isFirst = false) {
    const wasUnderway = underwayIn(worktree) === "rebase";
    const done = await rebaseBranch(desk.place, worktree, tip);
    if (!done.ok) return done;
    if (done.value.kind === "conflict")
      return conflicted(desk, { task, who, worktree, tip }, done.value.files);
    if (!wasUnderway || !isFirst) return ok(null);
  }
}

async function conflicted(
  desk: TaskDesk,
  { task, who, worktree }: Attempt,
  files: readonly string[],
): Promise<Result<never, Failure>> {
  if (task.state === "WORKING") {
    const text = `conflicts: ${files.join(", ")}`;
    const message = { type: "state_change", who, text } as const;
    const moved = await changeTask(desk, {
      task,
      to: "CONFLICTED",
      set: { who, note: text },
      message,
    });
    if (!moved.ok) return moved;
  }
  return err(
    failure(
      "TASK_CONFLICT",
      `the rebase of ${task.branch} onto ${task.integration} has conflicts: ${files.map((path) => JSON.stringify(path)).join(", ")}`,
      `mend them in ${worktree.workTree}, then: git add ${files.join(" ")} && GIT_EDITOR=true git rebase --continue && uncaged-workflow task done`,
    ),
  );
}

/** Makes the branch visible to others. It overwrites only what this task pushed itself, or what the commit contains. */
async function offer(desk: TaskDesk, task: Task, head: string): Promise<Result<void, Failure>> {
  const { place } = desk;
  if (place.remote === null) return ok(undefined);
  const there = await sharedBranch(place, task.branch);
  if (!there.ok) return there;
  const from = there.value;
  if (from !== null && from !== head) {
    const isOurs = await isPushed(desk, task, from);
    if (!isOurs.ok) return isOurs;
    const isContained = await isAncestor(place, from, head);
    if (!isContained.ok) return isContained;
    if (!isOurs.value && !isContained.value) return err(overtaken(task, from));
  }
  // Noted before it is done, so that it is known to be ours after a crash.
  const ref = `${pushedRefs(task)}/${head}`;
  const noted = await runGit(["update-ref", ref, head], place.local);
  if (!noted.ok) return noted;
  const moved = await moveSharedBranch(place, { branch: task.branch, from, to: head });
  if (!moved.ok) return moved;
  return moved.value === "done" ? ok(undefined) : err(overtaken(task, "something else"));
}

/** Refs that name what a task has pushed. */
export function pushedRefs({ id }: Pick<Task, "id">): string {
  return `refs/uncaged/tasks/${id}`;
}

async function isPushed(
  { place }: TaskDesk,
  task: Task,
  commit: string,
): Promise<Result<boolean, Failure>> {
  const ref = `${pushedRefs(task)}/${commit}`;
  const asked = await tryGit(["show-ref", "--verify", "--quiet", ref], place.local);
  return asked.ok ? ok(asked.value.exitCode === 0) : asked;
}

function overtaken({ branch }: Task, commit: string): Failure {
  return failure(
    "TASK_CONFLICT",
    `somebody else pushed to ${branch}: ${commit}`,
    "bring their commits in (git fetch, git rebase) or have the branch removed, then call task done again",
  );
}

function unborn({ id }: Task): Failure {
  return failure("GIT_FAILED", `task ${id} has no commit`, "commit the work first");
}
