/** What roles do to the files of the git repository that they work in.
 *
 *  1. Before a role begins, once and not per retry, its work tree becomes a tree; after it has ended and its processes
 *     are gone, another one. Both are committed under `refs/uncaged/<thread>`, so that `git gc` keeps them.
 *  2. Members of a group work side by side: what came before each of them is what came before their group.
 *  3. Git failing is no reason to lose what an agent did: the step is stored without its files, and a note says why. */
import {
  failureFrom,
  type SavedFiles,
  type StepGroup,
  type StepRun,
  type StepWorkspace,
  unwrap,
} from "@uncaged/workflow-protocol";
import { killTagged, storagePaths } from "@uncaged/workflow-util";
import {
  branchOf,
  findRepository,
  headOf,
  mayBeInRepository,
  type Repository,
  recordSnapshot,
  type Snapshot,
  takeSnapshot,
} from "@uncaged/workflow-workspace";
import type { Proofs } from "../chain/proofs.ts";
import { stepTag } from "../processes/process-tags.ts";
import type { Engine } from "../storage/engine.ts";
import { saveFiles, type Travel } from "../travel/save-files.ts";

type Place = { round: number; group?: StepGroup | undefined };

export type StepFiles = {
  /** Null: the folder is in no repository. The promise never rejects. */
  begin: (step: Place & { cwd: string }) => Promise<void> | null;
  /** The files as they are while the role runs; null: not known. Rejects with what git or the store say. */
  now: (step: Place) => Promise<FilesNow | null>;
  /** `workspace`: null for a role that did not begin, or that worked in no repository. */
  end: (step: Place & { role: string }) => Promise<RecordedFiles>;
};

type FilesNow = Omit<StepWorkspace, "head" | "branch">;

export type RecordedFiles = { workspace: StepWorkspace | null; notes: string[] };

export type StepFilesOptions = {
  root: string;
  threadId: string;
  fence: number;
  isOn: boolean;
  /** The last step's, when the first role to begin is one that was cut off; else null. */
  cutOffFrom: StepWorkspace | null;
  now: () => number;
  /** Files go to the remote, too; null: they stay on this machine. */
  travel: Travel | null;
};

type Begun = { repository: Repository; before: Snapshot } | { fault: string };

export function stepFiles(options: StepFilesOptions): StepFiles {
  const { threadId, root } = options;
  const begun = new Map<string, Promise<Begun>>();
  /** Of each group and each folder. */
  const befores = new Map<string, Promise<Begun>>();
  let { cutOffFrom } = options;

  const snapshot = (repository: Repository): Promise<Snapshot> => snapshotOf(root, repository);
  const { fence, travel } = options;
  const record = async (repository: Repository, tree: string, message: string): Promise<string> => {
    const record = { gitDir: repository.commonDir, threadId, tree, message, atMs: options.now() };
    if (travel === null) return unwrap(await recordSnapshot(record));
    const head = unwrap(await headOf(repository));
    return unwrap(await recordSnapshot({ ...record, travels: { head, fence } }));
  };
  /** One after the other: members of a group share the reference. */
  let turn: Promise<unknown> = Promise.resolve();
  const save = (
    repository: Repository,
    commit: string,
  ): Promise<{ saved?: SavedFiles; notes: string[] }> => {
    if (travel === null) return Promise.resolve({ notes: [] });
    const at = { travel, threadId, fence, commit, atMs: options.now() };
    const saved = turn.then(() => saveFiles(repository, at));
    turn = saved.catch(() => undefined);
    return saved;
  };
  const look = async ({ cwd, round }: Place & { cwd: string }): Promise<Begun> => {
    const resumed = cutOffFrom;
    cutOffFrom = null;
    try {
      const repository = unwrap(await findRepository(cwd));
      if (repository === null) return { fault: `git finds no work tree at ${cwd}` };
      if (resumed !== null && resumed.workTree === repository.workTree)
        return { repository, before: { tree: resumed.after, skipped: [] } };
      const before = await snapshot(repository);
      await record(repository, before.tree, `before step ${round}`);
      return { repository, before };
    } catch (thrown) {
      return { fault: failureFrom(thrown, "GIT_FAILED").message };
    }
  };
  return {
    begin: (step) => {
      if (!options.isOn || !mayBeInRepository(step.cwd)) return null;
      const key = step.group === undefined ? `${step.round}` : `${step.group.entry} ${step.cwd}`;
      const looked = befores.get(key) ?? look(step);
      befores.set(key, looked);
      begun.set(keyOf(step), looked);
      return looked.then(() => undefined);
    },
    now: async (step) => {
      const start = await (begun.get(keyOf(step)) ?? null);
      if (start === null || "fault" in start) return null;
      const { commonDir, workTree, objectFormat } = start.repository;
      const { tree } = await snapshot(start.repository);
      return {
        repository: commonDir,
        workTree,
        before: start.before.tree,
        after: tree,
        objectFormat,
      };
    },
    end: async (step) => {
      const key = keyOf(step);
      const start = await (begun.get(key) ?? null);
      begun.delete(key);
      if (start === null) return { workspace: null, notes: [] };
      if ("fault" in start)
        return { workspace: null, notes: [`files not recorded: ${start.fault}`] };
      const { repository, before } = start;
      try {
        const tag = stepTag({ threadId, fence, group: step.group });
        await killTagged({ tag, graceMs: 0 });
        const after = await snapshot(repository);
        const commit = await record(repository, after.tree, `step ${step.round}: ${step.role}`);
        const trees = { before: before.tree, after: after.tree };
        const workspace = await workspaceOf(repository, trees);
        const { saved, notes } = await save(repository, commit);
        const known = saved === undefined ? workspace : { ...workspace, saved };
        return { workspace: known, notes: [...notesOn(after), ...notes] };
      } catch (thrown) {
        const { message } = failureFrom(thrown, "GIT_FAILED");
        return { workspace: null, notes: [`files not recorded: ${message}`] };
      }
    },
  };
}

const keyOf = ({ round, group }: Place): string =>
  group === undefined ? `${round}` : `${group.entry}.${group.index}`;

/** The files as a person found them, who may have been asked for days. Null: no step of the thread was checked, or they
 *  cannot be read. */
export async function filesFound(
  { root, now }: Pick<Engine, "root" | "now">,
  { current }: Proofs,
  { threadId, round, role }: { threadId: string; round: number; role: string },
): Promise<StepWorkspace | null> {
  if (current === null || current.checked === null) return null;
  const { repository: commonDir, workTree } = current.last;
  try {
    const repository = unwrap(await findRepository(workTree));
    if (repository?.commonDir !== commonDir || repository.workTree !== workTree) return null;
    const { tree } = await snapshotOf(root, repository);
    const message = `step ${round}: ${role}`;
    unwrap(await recordSnapshot({ gitDir: commonDir, threadId, tree, message, atMs: now() }));
    return await workspaceOf(repository, { before: tree, after: tree });
  } catch {
    return null;
  }
}

async function snapshotOf(root: string, repository: Repository): Promise<Snapshot> {
  const keep = storagePaths(root).workspaces;
  return unwrap(await takeSnapshot({ repository, keep, leaveOut: [root] }));
}

async function workspaceOf(
  repository: Repository,
  trees: { before: string; after: string },
): Promise<StepWorkspace> {
  const [head, branch] = await Promise.all([headOf(repository), branchOf(repository)]);
  const { commonDir, workTree, objectFormat } = repository;
  const at = { head: unwrap(head), branch: unwrap(branch) };
  return { repository: commonDir, workTree, ...at, ...trees, objectFormat };
}

const SHOWN = 20;

function notesOn({ skipped }: Snapshot): string[] {
  if (skipped.length === 0) return [];
  const more = skipped.length > SHOWN ? ` and ${skipped.length - SHOWN} more` : "";
  return [
    `files that could not be read are not recorded: ${skipped.slice(0, SHOWN).join(", ")}${more}`,
  ];
}

/** A step without a record of its run has no place for notes. */
export function withNotes(run: StepRun | null, notes: readonly string[]): StepRun | null {
  if (run === null || notes.length === 0) return run;
  return { ...run, notes: [...(run.notes ?? []), ...notes] };
}
