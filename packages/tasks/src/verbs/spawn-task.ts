import { err, type Failure, failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { commitNamed } from "@uncaged/workflow-workspace";
import { integrationTip, localBranch } from "../git/branches.ts";
import { newToken, sha256 } from "../task-context.ts";
import { asOther, type TaskDesk, worktreeOf } from "../task-desk.ts";
import { prepareTask } from "./prepare-task.ts";

export type Spawn = {
  id: string;
  description: string;
  /** A commit's name; null: the integration branch. */
  from: string | null;
  /** A thread of this workflow does the work, see `followThread`; null: an agent that somebody else starts. */
  workflow: string | null;
};

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Prepares a task: its row, branch, worktree and context file. Of several that spawn one id at a time, one makes the
 *  row; doing it again finishes what a crash left out. `USAGE`, `TASK_DENIED`, `TARGET_EXISTS`, `SETUP_FAILED`. */
export async function spawnTask(
  desk: TaskDesk,
  { id, description, from, workflow }: Spawn,
): Promise<Result<Task, Failure>> {
  const by = asOther(desk, "spawn tasks");
  if (!by.ok) return by;
  if (!ID.test(id)) return err(badId(id));
  const { commonDir: repository } = desk.place.repository;
  const { integration } = desk.settings;
  const branch = `feat/${id}`;
  const base = await baseOf(desk, from);
  if (!base.ok) return base;
  const known = await desk.store.get({ repository, id });
  if (known === null) {
    const there = await localBranch(desk.place, branch);
    if (!there.ok) return there;
    if (there.value !== null) return err(branchTaken(branch));
    const worktree = worktreeOf(desk, id, 1);
    // The token follows with the context file: nobody has this one.
    const tokenSha256 = sha256(newToken());
    const place = { repository, id, branch, worktree, integration };
    const task = { ...place, description, tokenSha256, workflow };
    await desk.store.add(task, { who: by.value, nowMs: desk.now() });
  }
  // The row is first: a crash from here on leaves a task that the next `spawn` prepares.
  const task = await desk.store.get({ repository, id });
  const isSame = task?.description === description && task.workflow === workflow;
  if (task !== null && isSame && hasBegun(task)) return ok(task);
  if (task?.state !== "ASSIGNED" || !isSame) return err(taken(id, task));
  return prepareTask(desk, task, base.value);
}

/** Its thread may have gone far since: doing it again is fine. */
function hasBegun({ workflow, state }: Task): boolean {
  return workflow !== null && !["ASSIGNED", "COMPLETED", "FAILED"].includes(state);
}

async function baseOf(desk: TaskDesk, from: string | null): Promise<Result<string, Failure>> {
  if (from !== null) return commitNamed(from, desk.place.repository);
  const { integration } = desk.settings;
  const found = await integrationTip(desk.place, integration);
  if (!found.ok) return found;
  const { tip, made } = found.value;
  if (made !== null) desk.say(`${integration} was missing; it was made from ${made}`);
  return ok(tip);
}

function badId(id: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(id)} is no name for a task`,
    "use small letters, digits, - and _, 63 at most, such as fix-login",
  );
}

function branchTaken(branch: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `there is a branch ${branch} that belongs to no task`,
    "choose another name for the task, or rename the branch: git branch -m",
  );
}

function taken(id: string, task: Task | null): Failure {
  return failure(
    "TARGET_EXISTS",
    `there is a task ${id} already${task === null ? "" : `, ${task.state}`}`,
    "choose another name, or go on with it: uncaged-workflow task status",
  );
}
