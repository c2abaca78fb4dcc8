import { existsSync } from "node:fs";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepWorkspace,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { changedFiles, type FileChange, filePatch, restoreTree } from "@uncaged/workflow-workspace";
import { loadChain, roleStates } from "../chain/chain.ts";
import type { Engine } from "../storage/engine.ts";
import { fetchToRead } from "../travel/fetch-here.ts";
import { stepHere } from "../worktrees/files-here.ts";

export type StepChanges = {
  threadId: string;
  round: number;
  role: string;
  workspace: StepWorkspace;
  /** By path. */
  files: FileChange[];
};

/** The files that a step changed. */
export async function stepChanges(
  engine: Pick<Engine, "cas" | "root">,
  thread: ThreadRecord,
  round: number,
): Promise<Result<StepChanges, Failure>> {
  const step = await stepWithFiles(engine, thread, round);
  if (!step.ok) return step;
  const { role, workspace } = step.value;
  const files = await changedFiles(workspace.repository, workspace);
  if (!files.ok) return files;
  return ok({ threadId: thread.threadId, round, role, workspace, files: files.value });
}

export type StepPatch = {
  threadId: string;
  round: number;
  path: string;
  /** Git's unified text; null: the file is not text, or larger than 4 MiB. */
  patch: string | null;
  /** Whether there is more of it. */
  isCut: boolean;
};

/** Characters of a patch that are worth reading. */
const MOST_OF_A_PATCH = 200_000;

/** How a step changed one of its files. */
export async function stepPatch(
  engine: Pick<Engine, "cas" | "root">,
  thread: ThreadRecord,
  { round, path }: { round: number; path: string },
): Promise<Result<StepPatch, Failure>> {
  const step = await stepWithFiles(engine, thread, round);
  if (!step.ok) return step;
  const { repository, before, after } = step.value.workspace;
  const made = await filePatch(repository, { before, after, path });
  if (!made.ok) return made;
  const patch = made.value?.slice(0, MOST_OF_A_PATCH) ?? null;
  const isCut = patch !== null && patch.length !== made.value?.length;
  return ok({ threadId: thread.threadId, round, path, patch, isCut });
}

export type RestoredStep = {
  threadId: string;
  round: number;
  tree: string;
  folder: string;
  /** The work tree whose files they were. */
  workTree: string;
};

/** Writes the files as a step left them into an empty or a new folder. */
export async function restoreStep(
  engine: Pick<Engine, "cas" | "root">,
  thread: ThreadRecord,
  { round, folder }: { round: number; folder: string },
): Promise<Result<RestoredStep, Failure>> {
  const step = await stepWithFiles(engine, thread, round);
  if (!step.ok) return step;
  const { repository: gitDir, after: tree, objectFormat, workTree } = step.value.workspace;
  const repository = { workTree: gitDir, gitDir, commonDir: gitDir, objectFormat };
  const keep = storagePaths(engine.root).workspaces;
  const restored = await restoreTree({ repository, keep, tree, folder });
  return restored.ok ? ok({ threadId: thread.threadId, round, tree, folder, workTree }) : restored;
}

async function stepWithFiles(
  engine: Pick<Engine, "cas" | "root">,
  thread: ThreadRecord,
  round: number,
): Promise<Result<{ role: string; workspace: StepWorkspace }, Failure>> {
  const { threadId } = thread;
  const state = roleStates(await loadChain(engine.cas, thread))[round - 1];
  const { role, workspace: recorded } = state?.node.payload ?? {};
  if (role === undefined)
    return err(
      failure(
        "USAGE",
        `thread ${threadId} has no step ${round}`,
        `see its steps with: uncaged-workflow thread show ${threadId}`,
      ),
    );
  if (recorded === undefined)
    return err(
      failure(
        "USAGE",
        `step ${round} of thread ${threadId} has no record of its files`,
        "files are recorded of steps that work in a git repository, unless config.snapshots is false",
      ),
    );
  await fetchToRead(engine, thread);
  const workspace = await stepHere(engine.root, threadId, recorded);
  if (!existsSync(workspace.repository))
    return err(
      failure(
        "GIT_FAILED",
        `the repository ${workspace.repository}, which has the files of step ${round} of thread ${threadId}, is gone`,
        "put it back where it was, then try again",
      ),
    );
  return ok({ role, workspace });
}
