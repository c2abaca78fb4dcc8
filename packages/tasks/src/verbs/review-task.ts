import {
  err,
  type Failure,
  ok,
  type Result,
  type Task,
  workerName,
} from "@uncaged/workflow-protocol";
import { changeTask, denied, findTask, type TaskDesk } from "../task-desk.ts";

/** The step of a thread in which a verb was called. `mayReview`: its role is one of those that may. */
export type CallingStep = { thread: string; mayReview: boolean };

/** IN_REVIEW → APPROVED: what was offered last may be merged, and nothing else. */
export async function approveTask(
  desk: TaskDesk,
  { id, step }: { id: string | null; step: CallingStep | null },
): Promise<Result<Task, Failure>> {
  const review = await reviewed(desk, id, step);
  if (!review.ok) return review;
  const { task, who } = review.value;
  if (task.state === "APPROVED") return ok(task);
  const message = { type: "review_approved", who, text: task.head } as const;
  return changeTask(desk, { task, to: "APPROVED", set: { note: null }, message });
}

/** IN_REVIEW → WORKING. */
export async function requestChanges(
  desk: TaskDesk,
  { id, step, comment }: { id: string | null; step: CallingStep | null; comment: string | null },
): Promise<Result<Task, Failure>> {
  const review = await reviewed(desk, id, step);
  if (!review.ok) return review;
  const { task, who } = review.value;
  if (task.state === "WORKING") return ok(task);
  const message = { type: "changes_requested", who, text: comment } as const;
  return changeTask(desk, { task, to: "WORKING", set: { note: comment }, message });
}

/** The task and who reviews it: nobody who worked on it, and an agent only where its role is a reviewer's. */
async function reviewed(
  desk: TaskDesk,
  id: string | null,
  step: CallingStep | null,
): Promise<Result<{ task: Task; who: string }, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const task = found.value;
  const { context, place } = desk;
  // A step has the name under which its thread works on tasks, whatever it calls itself.
  const who = step === null ? (desk.who ?? desk.user) : workerName(step.thread);
  if (context?.task === task.id || task.workers.includes(who))
    return err(
      denied(
        `whoever worked on task ${task.id} may not review it`,
        `have somebody else do it, outside the worktree: cd ${place.root}`,
      ),
    );
  if (step === null ? context === null : step.mayReview) return ok({ task, who });
  return err(
    denied(
      `an agent may review task ${task.id} only in a role that config.reviewers names`,
      "review it yourself, or name the role in workflow.yaml: reviewers: [<workflow>/<role>]",
    ),
  );
}
