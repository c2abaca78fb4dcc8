import { existsSync } from "node:fs";
import { type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { branchOf, findRepository, headOf, runGit } from "@uncaged/workflow-workspace";
import { integrationTip } from "../git/branches.ts";
import { newToken, sha256 } from "../task-context.ts";
import { asOther, changeTask, findTask, type TaskDesk, worktreeOf } from "../task-desk.ts";
import { prepareTask } from "./prepare-task.ts";

/** FAILED → ASSIGNED: the next attempt, with a token and a worktree of its own. It goes on from the branch; files that the
 *  last attempt left stay in its worktree. */
export async function retryTask(desk: TaskDesk, id: string | null): Promise<Result<Task, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const by = asOther(desk, "retry tasks");
  if (!by.ok) return by;
  const task = found.value;
  const onto = await integrationTip(desk.place, task.integration);
  if (!onto.ok) return onto;
  const assigned = task.state === "ASSIGNED" ? ok(task) : await assign(desk, task, by.value);
  if (!assigned.ok) return assigned;
  // After the change of state: a crash before leaves a failed task as it was.
  const free = await freeBranch(desk, assigned.value);
  return free.ok ? prepareTask(desk, assigned.value, onto.value.tip) : free;
}

function assign(desk: TaskDesk, task: Task, who: string): Promise<Result<Task, Failure>> {
  const worktree = worktreeOf(desk, task.id, task.attempt + 1);
  const set = { worktree, tokenSha256: sha256(newToken()) };
  const message = { type: "task_assign", who, text: task.description } as const;
  return changeTask(desk, { task, to: "ASSIGNED", set, message });
}

/** Worktrees of earlier attempts no longer have the branch: their HEAD stays where it is, on no branch. */
async function freeBranch(desk: TaskDesk, task: Task): Promise<Result<void, Failure>> {
  for (let attempt = 1; attempt < task.attempt; attempt += 1) {
    const path = worktreeOf(desk, task.id, attempt);
    const found = existsSync(path) ? await findRepository(path) : ok(null);
    if (!found.ok) return found;
    if (found.value === null || found.value.workTree !== path) continue;
    const [branch, head] = [await branchOf(found.value), await headOf(found.value)];
    if (!branch.ok) return branch;
    if (!head.ok) return head;
    if (branch.value !== task.branch || head.value === null) continue;
    const freed = await runGit(["update-ref", "--no-deref", "HEAD", head.value], {
      scope: { gitDir: found.value.gitDir },
      cwd: path,
    });
    if (!freed.ok) return freed;
  }
  return ok(undefined);
}
