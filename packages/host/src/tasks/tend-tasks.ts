/** The host's part in tasks: those whose work a thread does follow it, and what is approved is merged, where the
 *  configuration says so. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import type { Engine } from "@uncaged/workflow-execute";
import { failureFrom, type Task, type TaskStore, WorkflowError } from "@uncaged/workflow-protocol";
import { readSettings, type TaskDefaults } from "@uncaged/workflow-register";
import {
  followThread,
  type Landed,
  mergeAll,
  openDesk,
  type TaskDesk,
} from "@uncaged/workflow-tasks";
import { isShared } from "@uncaged/workflow-util";
import { repositoryAt } from "@uncaged/workflow-workspace";
import { MERGED_AT_ONCE, mergeCheck, taskSettings } from "./task-settings.ts";
import { workThreads } from "./work-threads.ts";

export type TaskTender = { look: () => Promise<void> };

/** A look does what is due in every repository that has tasks; only one is under way at a time. Throws `CONFIG_INVALID`. */
export function tendingTasks(
  engine: Engine,
  { store, say, signal }: { store: TaskStore; say: (line: string) => void; signal: AbortSignal },
): TaskTender {
  const threads = workThreads(engine, signal);
  /** What was said last about a task or a repository: a fault that stays is said once. */
  const told = new Map<string, string>();
  const tell = (about: string, line: string): void => {
    if (told.get(about) === line) return;
    told.set(about, line);
    say(line);
  };

  /** Machines that share a root may have clones at the same path: a task is the one's that has its worktree. */
  const isAlone = !isShared(engine.root);
  const isHere = ({ worktree }: Task): boolean => isAlone || existsSync(worktree);

  const tend = async (folder: string, tasks: readonly Task[]): Promise<void> => {
    const settings = await readSettings(engine.root);
    if (!settings.ok) throw new WorkflowError(settings.error);
    const defaults = settings.value.tasks;
    const isMerging = defaults.mergeByHost && defaults.mergeCheck !== null;
    const followed = tasks.filter((task) => task.workflow !== null && !isSettled(task));
    const approved = isMerging && tasks.some(({ state }) => state === "APPROVED");
    if (followed.length === 0 && !approved) return;
    const desk = await deskAt(engine, { folder, store, defaults, say });
    for (const task of followed) {
      if (signal.aborted) return;
      const now = await followThread(desk, threads, task);
      if (!now.ok) tell(task.id, `task ${task.id}: ${now.error.message}`);
      else if (now.value.state !== task.state)
        tell(task.id, `task ${task.id} is ${now.value.state}`);
    }
    if (!approved || defaults.mergeCheck === null || signal.aborted) return;
    const check = mergeCheck(desk, defaults.mergeCheck, engine.root);
    const merge = { check, deleteBranch: false, atOnce: MERGED_AT_ONCE };
    const landed = await mergeAll(desk, merge, isHere);
    if (!landed.ok) tell(folder, landed.error.message);
    else for (const each of landed.value) tell(each.task.id, outcome(each));
  };

  let looking: Promise<void> | null = null;
  const lookAtAll = async (): Promise<void> => {
    const all = await store.list(null);
    for (const folder of new Set(all.map(({ repository }) => repository))) {
      // One that was moved away, or is on a disk that is not there, has to wait.
      if (signal.aborted || !existsSync(folder)) continue;
      // What a failed task's thread still does is ended from anywhere: its worktree may be gone already.
      const here = all.filter(
        (task) => task.repository === folder && (task.state === "FAILED" || isHere(task)),
      );
      await tend(folder, here).catch((thrown: unknown) =>
        tell(folder, failureFrom(thrown, "STORAGE_FAILED").message),
      );
    }
  };
  return {
    // A merge with its check may take far longer than the pause between two looks.
    look: () => {
      looking ??= lookAtAll().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
}

function isSettled({ state, thread }: Task): boolean {
  if (state === "FAILED") return thread === null;
  return state !== "ASSIGNED" && state !== "WORKING";
}

async function deskAt(
  engine: Engine,
  {
    folder,
    store,
    defaults,
    say,
  }: { folder: string; store: TaskStore; defaults: TaskDefaults; say: (line: string) => void },
): Promise<TaskDesk> {
  const repository = await repositoryAt(folder);
  if (!repository.ok) throw new WorkflowError(repository.error);
  const desk = await openDesk({
    ...{ store, repository: repository.value, settings: taskSettings(defaults), who: "host", say },
    ...{ user: userInfo().username, env: process.env, now: engine.now },
  });
  if (!desk.ok) throw new WorkflowError(desk.error);
  return desk.value;
}

function outcome(landed: Landed): string {
  const { id } = landed.task;
  if (landed.outcome === "merged") return `task ${id} is merged`;
  return `task ${id} is not merged: ${landed.reason.message.split("\n", 1)[0]}`;
}
