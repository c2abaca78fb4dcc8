/** Makes sure that a thread's worktree is there, and ready to work in.
 *
 *  1. What stands is left as it is: a role that was cut off finds what it had done.
 *  2. One that is gone is made again, with the files of the last step that worked there.
 *  3. The setup runs once: a mark in the worktree's git folder, written after it, goes with the worktree. */
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  PROCESS_TAG_ENV,
  type Result,
  type StepWorkspace,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import {
  addWorktree,
  findRepository,
  type Repository,
  setUpWorktree,
} from "@uncaged/workflow-workspace";
import { splitEnvironment } from "../runner/runner-environment.ts";
import type { ThreadWorktree } from "./worktree-record.ts";

export type Standing = {
  /** What the last step that worked there left; null: none did. */
  last: StepWorkspace | null;
  /** Tag of the processes that the setup starts. */
  tag: string;
  signal?: AbortSignal;
};

/** `GIT_FAILED`, `TARGET_EXISTS`, or `SETUP_FAILED`, after which the worktree stays. */
export async function standWorktree(
  root: string,
  worktree: ThreadWorktree,
  { last, tag, signal }: Standing,
): Promise<Result<void, Failure>> {
  const { path, repository } = worktree;
  const standing = existsSync(path) ? await findRepository(path) : ok(null);
  if (!standing.ok) return standing;
  if (standing.value?.workTree === path && isReady(standing.value)) return ok(undefined);
  if (!existsSync(repository)) return err(repositoryGone(worktree));
  const made = await makeWorktree(worktree, last, signal);
  if (!made.ok) return made;
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const from = existsSync(worktree.from) ? await findRepository(worktree.from) : ok(null);
  if (!from.ok) return from;
  const { setup } = settings.value.tasks;
  const ready = await setUpWorktree({
    from: from.value ?? made.value,
    worktree: made.value,
    command: setup === null ? null : ["sh", "-c", setup],
    // Without keys: the program may be one that an agent wrote.
    env: { ...splitEnvironment(process.env).open, [PROCESS_TAG_ENV]: tag },
    ...(signal === undefined ? {} : { signal }),
  });
  if (!ready.ok) return ready;
  const mark = markOf(made.value);
  await rm(mark, { force: true });
  await writeFile(mark, "");
  return ready;
}

/** Without setup. One that stands on its branch stays as it is. */
export function makeWorktree(
  { repository: commonDir, objectFormat, path, ...worktree }: ThreadWorktree,
  last: StepWorkspace | null,
  signal?: AbortSignal,
): Promise<Result<Repository, Failure>> {
  const isThere = last !== null && last.workTree === path && last.head !== null;
  const base = isThere ? (last.head ?? worktree.base) : worktree.base;
  const branch = isThere ? last.branch : worktree.branch;
  const files = isThere ? last.after : worktree.files;
  return addWorktree({
    repository: { commonDir, objectFormat },
    ...{ path, base, branch },
    ...(files === null ? {} : { files }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const markOf = ({ gitDir }: Repository): string => join(gitDir, "uncaged-ready");

const isReady = (repository: Repository): boolean => existsSync(markOf(repository));

function repositoryGone({ repository, path }: ThreadWorktree): Failure {
  return failure(
    "GIT_FAILED",
    `the repository ${repository}, of which ${path} is to be a worktree, is gone`,
    "put it back where it was, then try again",
  );
}
