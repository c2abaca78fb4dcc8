/** What every verb needs: the tasks, the repository and the caller. */
import { basename, join } from "node:path";
import {
  canMoveTask,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type Task,
  type TaskMove,
  type TaskStore,
} from "@uncaged/workflow-protocol";
import type { Repository } from "@uncaged/workflow-workspace";
import { type TaskPlace, taskPlace } from "./git/task-place.ts";
import { CONTEXT_ENV, contextIn, contextOf, sha256, type TaskContext } from "./task-context.ts";

export type TaskSettings = {
  /** The branch that tasks go into. */
  integration: string;
  /** Folder that has a folder of worktrees for each repository, absolute; null: `worktrees` in the main work tree. */
  worktrees: string | null;
  /** What makes a new worktree ready; null: `.uncaged/setup` of the repository. */
  setup: readonly string[] | null;
};

export type TaskDesk = {
  store: TaskStore;
  place: TaskPlace;
  settings: TaskSettings;
  /** The task whose agent the caller is, by the file or the environment; null: not an agent. */
  context: TaskContext | null;
  /** The name that the caller gave; null: none. */
  who: string | null;
  /** What a caller without a name is called who is no agent. */
  user: string;
  env: NodeJS.ProcessEnv;
  now: () => number;
  /** For notes to people while a verb works. */
  say: (line: string) => void;
};

/** Who calls, and where its tasks are. */
export type TaskCaller = Pick<TaskDesk, "store" | "context" | "who"> & {
  place: { repository: Pick<Repository, "commonDir"> };
};

export async function openDesk({
  repository,
  ...given
}: Omit<TaskDesk, "place" | "context"> & { repository: Repository }): Promise<
  Result<TaskDesk, Failure>
> {
  const place = await taskPlace(repository, given.env);
  if (!place.ok) return place;
  return ok({ ...given, place: place.value, context: await callersTask(repository, given.env) });
}

/** The task whose agent the caller is; null: of none in this repository. */
export async function callersTask(
  { workTree, commonDir }: Repository,
  env: NodeJS.ProcessEnv,
): Promise<TaskContext | null> {
  const found = contextOf(env[CONTEXT_ENV] ?? "") ?? (await contextIn(workTree));
  return found?.repository === commonDir ? found : null;
}

/** Where the worktree of an attempt is. Each attempt has its own, so that a program of an earlier one that still runs
 *  finds its own context and disturbs nobody. */
export function worktreeOf({ settings, place }: TaskDesk, id: string, attempt: number): string {
  const { root } = place;
  const elsewhere = settings.worktrees;
  const folder = elsewhere === null ? join(root, "worktrees") : join(elsewhere, basename(root));
  return join(folder, attempt === 1 ? id : `${id}.${attempt}`);
}

/** By name, else the task of the caller's worktree. `TASK_NOT_FOUND`. */
export async function findTask(
  { store, place, context }: TaskCaller,
  named: string | null,
): Promise<Result<Task, Failure>> {
  const { commonDir: repository } = place.repository;
  const id = named ?? context?.task;
  if (id === undefined)
    return err(
      failure(
        "TASK_NOT_FOUND",
        "this folder is not the worktree of a task",
        "say which one is meant: --task <id>; see uncaged-workflow task status",
      ),
    );
  const task = await store.get({ repository, id });
  if (task !== null) return ok(task);
  return err(
    failure(
      "TASK_NOT_FOUND",
      `there is no task ${JSON.stringify(id)} in ${repository}`,
      "see which there are: uncaged-workflow task status",
    ),
  );
}

/** The caller's name where it is the agent of this task; refused otherwise: `TASK_DENIED`, or `TASK_LOST` for one of an
 *  attempt that is over. */
export function asAgent(desk: TaskCaller, task: Task): Result<string, Failure> {
  const { context, who } = desk;
  if (context === null || context.task !== task.id)
    return err(
      denied(
        `only its agent does that to task ${task.id}`,
        `call it in its worktree: cd ${task.worktree}`,
      ),
    );
  if (context.attempt !== task.attempt)
    return err(
      lost(`attempt ${context.attempt} at task ${task.id} is over: now it is ${task.attempt}`),
    );
  if (sha256(context.token) !== task.tokenSha256)
    return err(
      denied(
        `the token of this worktree is not that of task ${task.id}`,
        "have it given out again: uncaged-workflow task fail, then task retry",
      ),
    );
  return ok(who ?? `${task.id}#${task.attempt}`);
}

/** A task whose agent the caller is, and the agent's name. Refused as by `findTask` and `asAgent`. */
export async function ownTask(
  desk: TaskCaller,
  named: string | null,
): Promise<Result<{ task: Task; who: string }, Failure>> {
  const task = await findTask(desk, named);
  if (!task.ok) return task;
  const who = asAgent(desk, task.value);
  return who.ok ? ok({ task: task.value, who: who.value }) : who;
}

/** The caller's name where it is no agent; what the task's own agent may not do. */
export function asOther(desk: TaskDesk, verb: string): Result<string, Failure> {
  const { context, who } = desk;
  if (context === null) return ok(who ?? desk.user);
  return err(
    denied(
      `the agent of task ${context.task} may not ${verb}`,
      `have somebody else do it, outside the worktree: cd ${desk.place.root}`,
    ),
  );
}

/** A change of a task that was read. `TRANSITION_INVALID`; `TASK_LOST` when somebody else was first. */
export async function changeTask(
  { store, now }: TaskDesk,
  move: Omit<TaskMove, "nowMs">,
): Promise<Result<Task, Failure>> {
  if (!canMoveTask(move.task.state, move.to)) return err(notFrom(move.task, move.to));
  const moved = await store.move({ ...move, nowMs: now() });
  if (moved !== null) return ok(moved);
  return err(lost(`somebody else changed task ${move.task.id} first`));
}

export function notFrom({ id, state }: Task, to: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `task ${id} is ${state} and cannot become ${to}`,
    "see: uncaged-workflow task status",
  );
}

export function denied(message: string, hint: string): Failure {
  return failure("TASK_DENIED", message, hint);
}

export function lost(message: string): Failure {
  return failure("TASK_LOST", message, "look again: uncaged-workflow task status");
}
