import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { lockFile } from "@uncaged/workflow-store";
import {
  addWorktree,
  findRepository,
  ignorePaths,
  type Repository,
  setUpWorktree,
} from "@uncaged/workflow-workspace";
import { CONTEXT_FILE, contextIn, newToken, sha256, writeContext } from "../task-context.ts";
import { lost, type TaskDesk } from "../task-desk.ts";

/** Makes what a task in ASSIGNED needs: branch, worktree, context file, setup. What is there stays, so it can be done
 *  again after a crash at any place; one caller at a time does it. */
export async function prepareTask(
  desk: TaskDesk,
  task: Task,
  base: string,
): Promise<Result<Task, Failure>> {
  const { repository } = desk.place;
  const folder = join(repository.commonDir, "uncaged");
  await mkdir(folder, { recursive: true });
  const lock = await lockFile(join(folder, `${task.id}.lock`), AbortSignal.timeout(LONGEST_MS));
  if (lock === null) return err(lost(`somebody else still prepares task ${task.id}`));
  try {
    return await prepare(desk, task, base);
  } finally {
    lock.release();
  }
}

const LONGEST_MS = 20 * 60_000;

async function prepare(
  desk: TaskDesk,
  { repository, id }: Task,
  base: string,
): Promise<Result<Task, Failure>> {
  const { place } = desk;
  // Read under the lock: whoever held it before may have finished, or have replaced the token.
  const task = await desk.store.get({ repository, id });
  if (task === null || task.state !== "ASSIGNED") return err(lost(`task ${id} has gone on`));
  await ignorePaths(place.repository, ["/worktrees/", `/${CONTEXT_FILE}`]);
  await mkdir(dirname(task.worktree), { recursive: true });
  const { branch, worktree: path } = task;
  const made = await addWorktree({ repository: place.repository, path, base, branch });
  if (!made.ok) return made;
  const keyed = await giveToken(desk, task);
  if (!keyed.ok) return keyed;
  const ready = await setUp(desk, made.value);
  return ready.ok ? keyed : ready;
}

/** The token is only in the context file: where that is not whole, there is a new one. */
async function giveToken(desk: TaskDesk, task: Task): Promise<Result<Task, Failure>> {
  const found = await contextIn(task.worktree);
  if (found !== null && sha256(found.token) === task.tokenSha256) return ok(task);
  const token = newToken();
  const tokenSha256 = sha256(token);
  if (!(await desk.store.amend(task, { tokenSha256 })))
    return err(lost(`somebody else changed task ${task.id} first`));
  const keyed = { ...task, tokenSha256, revision: task.revision + 1 };
  await writeContext(keyed, token);
  return ok(keyed);
}

/** Whether somebody can begin there. */
export async function isPrepared(task: Task): Promise<boolean> {
  const context = await contextIn(task.worktree);
  if (context === null || sha256(context.token) !== task.tokenSha256) return false;
  const found = await findRepository(task.worktree);
  return found.ok && found.value !== null && existsSync(join(found.value.gitDir, READY));
}

const READY = "uncaged-ready";

async function setUp(
  { place, settings, env }: TaskDesk,
  worktree: Repository,
): Promise<Result<void, Failure>> {
  const mark = join(worktree.gitDir, READY);
  if (existsSync(mark)) return ok(undefined);
  const main = await findRepository(place.root);
  if (!main.ok) return main;
  const from = main.value ?? worktree;
  const done = await setUpWorktree({ from, worktree, command: settings.setup, env });
  if (!done.ok) return done;
  await rm(mark, { force: true });
  await writeFile(mark, "");
  return done;
}
