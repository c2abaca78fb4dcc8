/** A task whose work a thread does: the task's state follows the thread's.
 *
 *  Each look does what is missing, so it may be cut off anywhere and two may look at once:
 *  1. A thread is started under a key of the attempt and of the time of the last change, and noted afterwards. Whoever
 *     looks after a crash in between gets the same thread.
 *  2. What the thread says is put into the task by the verbs of an agent, which can all be repeated. */
import { join } from "node:path";
import { type Failure, ok, type Result, type Task, workerName } from "@uncaged/workflow-protocol";
import { tryLockFile } from "@uncaged/workflow-store";
import { openDesk, type TaskDesk } from "../task-desk.ts";
import { failTask } from "./end-task.ts";
import { finishTask, worktreeOn } from "./finish-task.ts";
import { isPrepared } from "./prepare-task.ts";
import { beatTask, startTask } from "./work-on-task.ts";

/** What a task has to know of its thread. */
export type WorkState =
  /** `aliveAt`: the last sign of life, Unix milliseconds; null: nobody runs it. */
  | { kind: "under way"; aliveAt: number | null }
  /** `isProved`: null where nothing was checked, else whether the files are still those that passed. */
  | { kind: "completed"; isProved: boolean | null }
  | { kind: "failed"; reason: string };

/** Threads, as far as tasks need them. */
export type WorkThreads = {
  /** Fails with `WORKFLOW_NOT_FOUND`, for example. */
  canStart(workflow: string): Promise<Result<unknown, Failure>>;
  /** Returns its id. The same key returns the same thread, which is under way afterwards unless it has ended. */
  start(thread: {
    workflow: string;
    prompt: string;
    cwd: string;
    key: string;
    task: string;
  }): Promise<Result<string, Failure>>;
  /** null: it is gone. */
  look(threadId: string): Promise<WorkState | null>;
  end(threadId: string): Promise<void>;
};

/** Brings a task up to what its thread has come to. A task without a workflow stays as it is. Fails like the verbs of an
 *  agent; the next look tries again. */
export async function followThread(
  desk: TaskDesk,
  threads: WorkThreads,
  task: Task,
): Promise<Result<Task, Failure>> {
  if (task.workflow === null) return ok(task);
  // Of two who look at once, one is enough: both would rebase in one worktree.
  const lock = await tryLockFile(
    join(desk.place.repository.commonDir, "uncaged", `${task.id}.follow.lock`),
  );
  if (lock === null) return ok(task);
  try {
    const now = await desk.store.get(task);
    return now === null ? ok(task) : await follow(desk, threads, now);
  } finally {
    lock.release();
  }
}

async function follow(
  desk: TaskDesk,
  threads: WorkThreads,
  task: Task,
): Promise<Result<Task, Failure>> {
  if (task.state === "FAILED") {
    // Cancelled, or given up: nobody needs what its thread still does.
    if (task.thread !== null && (await isUnderWay(threads, task.thread)))
      await threads.end(task.thread);
    return ok(task);
  }
  if (task.state !== "ASSIGNED" && task.state !== "WORKING") return ok(task);
  if (task.thread === null) return startWork(desk, threads, task);
  const own = await asItsAgent(desk, task);
  if (!own.ok) return own;
  const state = (await threads.look(task.thread)) ?? GONE;
  if (task.state === "ASSIGNED") {
    const started = await startTask(own.value, task.id);
    if (!started.ok) return started;
    task = started.value;
  }
  if (state.kind === "failed")
    return failTask(own.value, { id: task.id, reason: `thread ${task.thread}: ${state.reason}` });
  if (state.kind === "completed" && state.isProved === false)
    return failTask(own.value, { id: task.id, reason: unproved(task) });
  if (state.kind === "completed") return finished(own.value, task);
  const { aliveAt } = state;
  if (aliveAt === null || aliveAt - (task.heartbeatAt ?? 0) < BEAT_MS) return ok(task);
  return beatTask({ ...own.value, now: () => aliveAt }, { id: task.id, progress: null });
}

const GONE: WorkState = { kind: "failed", reason: "it was removed" };

/** Signs of life are noted no more often than an agent gives them. */
const BEAT_MS = 15_000;

async function isUnderWay(threads: WorkThreads, threadId: string): Promise<boolean> {
  return (await threads.look(threadId))?.kind === "under way";
}

async function startWork(
  desk: TaskDesk,
  threads: WorkThreads,
  task: Task,
): Promise<Result<Task, Failure>> {
  const { repository, id, attempt, changedAt, workflow, worktree, description, note } = task;
  // Where a crash left its preparation unfinished, the next `spawn` or `retry` goes on: they know what it begins from.
  if (workflow === null || !(await isPrepared(task))) return ok(task);
  const job = description === "" ? id : description;
  const started = await threads.start({
    ...{ workflow, cwd: worktree, task: id },
    prompt: task.state === "WORKING" && note !== null ? `${job}\n\n${CHANGES}\n${note}` : job,
    // Not the revision: a token that is given out again must not make it another thread.
    key: `task ${repository} ${id} ${attempt} ${changedAt}`,
  });
  if (!started.ok) return started;
  if (!(await desk.store.amend(task, { thread: started.value }))) return ok(task);
  const noted = { ...task, thread: started.value, revision: task.revision + 1 };
  return follow(desk, threads, noted);
}

const CHANGES = "This was done before, and is to be changed:";

/** The thread is the agent of this attempt, so it has the token of the worktree. */
async function asItsAgent(
  { store, settings, user, env, now, say }: TaskDesk,
  task: Task,
): Promise<Result<TaskDesk, Failure>> {
  const repository = await worktreeOn(task);
  if (!repository.ok) return repository;
  const who = workerName(task.thread ?? "");
  return openDesk({ store, repository: repository.value, settings, who, user, env, now, say });
}

/** What the thread committed is offered. When that is not possible as it is, somebody has to look: the task says why. */
async function finished(own: TaskDesk, task: Task): Promise<Result<Task, Failure>> {
  const done = await finishTask(own, { id: task.id, skipRebase: false });
  if (done.ok || done.error.code !== "WORKTREE_UNSAVED") return done;
  const reason = `thread ${task.thread} has completed, but ${done.error.message}`;
  return failTask(own, { id: task.id, reason });
}

function unproved({ thread }: Task): string {
  return `thread ${thread} has completed, but its evidence is stale: files were changed after they were checked`;
}
