/** The merge queue. Approved tasks are merged together, checked together, and land together or not at all.
 *
 *  1. A batch becomes one commit with the integration branch and each task's commit as parents, and its tree is the one
 *     that was checked: no commit of the integration branch's own line has a tree that nobody checked.
 *  2. It lands by a compare-and-set. When somebody else was first, all is merged and checked again, three times at most.
 *  3. A red batch is halved until the culprit is alone; that one goes back to its agent.
 *  4. The order is: land, COMPLETED, take back. A task whose commit is already in the integration branch, because a
 *     crash came in between, is completed. */
import { type Failure, failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { registeredWorktrees } from "@uncaged/workflow-workspace";
import { cleanUp } from "../clean-up.ts";
import { hasCommit, integrationTip, isAncestor, moveSharedBranch } from "../git/branches.ts";
import { joinCommits, mergeCommits, treeOf } from "../git/merge-trees.ts";
import { changeTask, type TaskDesk } from "../task-desk.ts";

/** Checks a tree; `output` is for people. `base`: the commit of the integration branch that it is merged onto. */
export type TreeCheck = (request: {
  tree: string;
  base: string;
}) => Promise<Result<{ isGreen: boolean; output: string }, Failure>>;

export type Landing = {
  by: string;
  /** null: nothing is checked. */
  check: TreeCheck | null;
  deleteBranch: boolean;
  /** Most tasks that are merged before one check. */
  atOnce: number;
};

/** What became of a task. */
export type Landed =
  | { task: Task; outcome: "merged" }
  | { task: Task; outcome: "conflict" | "red"; reason: Failure }
  /** Not decided: its commit is elsewhere, the queue had to stop, or somebody else changed the task. */
  | { task: Task; outcome: "left"; reason: Failure };

const TRIES = 3;

/** Lands tasks that are approved and go into one integration branch, in this order. */
export async function landTasks(
  desk: TaskDesk,
  tasks: readonly Task[],
  landing: Landing,
): Promise<Landed[]> {
  const landed: Landed[] = [];
  const waiting: Task[] = [];
  // What cannot be merged here holds up nobody else.
  for (const task of tasks) {
    const found = await hasCommit(desk.place, task.head ?? "", task.branch);
    const reason = found.ok ? (found.value ? null : notHere(task)) : found.error;
    if (reason === null) waiting.push(task);
    else landed.push({ task, outcome: "left", reason });
  }
  while (waiting.length > 0) {
    const batch = waiting.splice(0, landing.atOnce);
    const done = await landBatch(desk, batch, landing);
    landed.push(...done.landed);
    // What only conflicts with another one of its batch is merged after that one's fate is known.
    waiting.unshift(...done.postponed);
    if (done.stopped === null) continue;
    const reason = done.stopped;
    landed.push(...waiting.splice(0).map((task) => ({ task, outcome: "left" as const, reason })));
  }
  return landed;
}

type Done = { landed: Landed[]; postponed: Task[]; stopped: Failure | null };

async function landBatch(desk: TaskDesk, batch: readonly Task[], landing: Landing): Promise<Done> {
  const landed: Landed[] = [];
  let rest = [...batch];
  const stop = (reason: Failure): Done => ({
    landed: [...landed, ...rest.map((task) => ({ task, outcome: "left" as const, reason }))],
    postponed: [],
    stopped: reason,
  });
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const [first] = rest;
    if (first === undefined) return { landed, postponed: [], stopped: null };
    const onto = await integrationTip(desk.place, first.integration);
    if (!onto.ok) return stop(onto.error);
    const { tip } = onto.value;
    const merging = await mergeOnto(desk, rest, tip);
    if (!merging.ok) return stop(merging.error);
    const { already, joined, conflicting, postponed } = merging.value;
    for (const task of already) landed.push(await complete(desk, task, tip, landing));
    for (const { task, files } of conflicting)
      landed.push(await sendBack(desk, task, conflictOf(task, files), landing));
    rest = joined.map(({ task }) => task);
    const last = joined.at(-1);
    if (last === undefined) return { landed, postponed, stopped: null };
    const verdict = await checked(landing, { tree: last.tree, base: tip });
    if (!verdict.ok) return stop(verdict.error);
    if (!verdict.value.isGreen) {
      const red = await findCulprit(desk, rest, { landing, tip, output: verdict.value.output });
      return {
        ...red,
        landed: [...landed, ...red.landed],
        postponed: [...red.postponed, ...postponed],
      };
    }
    const commit = await commitOf(desk, tip, joined);
    if (!commit.ok) return stop(commit.error);
    const move = { branch: first.integration, from: tip, to: commit.value };
    const moved = await moveSharedBranch(desk.place, move);
    if (!moved.ok) return stop(moved.error);
    rest = [...rest, ...postponed];
    if (moved.value === "moved") continue;
    await tellCheckouts(desk, move);
    for (const { task } of joined) landed.push(await complete(desk, task, commit.value, landing));
    return { landed, postponed, stopped: null };
  }
  return stop(movedTooOften());
}

type Joined = { task: Task; commit: string; tree: string };
type Merging = {
  /** In the integration branch before we merged anything. */
  already: Task[];
  joined: Joined[];
  conflicting: { task: Task; files: string[] }[];
  /** They fit the integration branch, but not with others of the batch. */
  postponed: Task[];
};

async function mergeOnto(
  { place }: TaskDesk,
  tasks: readonly Task[],
  tip: string,
): Promise<Result<Merging, Failure>> {
  const merging: Merging = { already: [], joined: [], conflicting: [], postponed: [] };
  let ours = tip;
  for (const task of tasks) {
    const theirs = task.head ?? "";
    const isIn = await isAncestor(place, theirs, tip);
    if (!isIn.ok) return isIn;
    if (isIn.value) {
      merging.already.push(task);
      continue;
    }
    const message = messageFor([task]);
    const merged = await mergeCommits(place, { ours, theirs, message });
    if (!merged.ok) return merged;
    if (merged.value.kind === "merged") {
      merging.joined.push({ task, commit: merged.value.commit, tree: merged.value.tree });
      ours = merged.value.commit;
      continue;
    }
    const alone = ours === tip ? merged : await mergeCommits(place, { ours: tip, theirs, message });
    if (!alone.ok) return alone;
    if (alone.value.kind === "merged") merging.postponed.push(task);
    else merging.conflicting.push({ task, files: alone.value.files });
  }
  return ok(merging);
}

/** Of one task it is its own merge; of several, one commit with all of them as parents. */
async function commitOf(
  { place }: TaskDesk,
  tip: string,
  joined: readonly Joined[],
): Promise<Result<string, Failure>> {
  const last = joined.at(-1);
  if (last === undefined || joined.length === 1) return ok(last?.commit ?? tip);
  const parents = [tip, ...joined.flatMap(({ task }) => task.head ?? [])];
  const message = messageFor(joined.map(({ task }) => task));
  return joinCommits(place, { tree: last.tree, parents, message });
}

function messageFor(tasks: readonly Task[]): string {
  const subject = `Merge task${tasks.length === 1 ? "" : "s"} ${tasks.map(({ id }) => id).join(", ")}`;
  const lines = tasks.flatMap(({ id, description }) =>
    description === "" ? [] : [tasks.length === 1 ? description : `${id}: ${description}`],
  );
  return [subject, ...(lines.length === 0 ? [] : ["", ...lines])].join("\n");
}

async function checked(
  { check }: Landing,
  request: { tree: string; base: string },
): Promise<Result<{ isGreen: boolean; output: string }, Failure>> {
  return check === null ? ok({ isGreen: true, output: "" }) : check(request);
}

type Red = { landing: Landing; tip: string; output: string };

/** Halves a red batch; the halves land for themselves. */
async function findCulprit(
  desk: TaskDesk,
  tasks: readonly Task[],
  { landing, tip, output }: Red,
): Promise<Done> {
  const [only] = tasks;
  if (only !== undefined && tasks.length === 1) {
    const tree = await treeOf(desk.place, tip);
    const before = tree.ok ? await checked(landing, { tree: tree.value, base: tip }) : tree;
    const stopped = before.ok ? (before.value.isGreen ? null : redBefore(only)) : before.error;
    if (stopped !== null)
      return { landed: [{ task: only, outcome: "left", reason: stopped }], postponed: [], stopped };
    const sent = await sendBack(desk, only, redWith(only, output), landing);
    return { landed: [sent], postponed: [], stopped: null };
  }
  const half = Math.ceil(tasks.length / 2);
  const first = await landBatch(desk, tasks.slice(0, half), landing);
  if (first.stopped !== null) {
    const reason = first.stopped;
    const left = tasks.slice(half).map((task) => ({ task, outcome: "left" as const, reason }));
    return { ...first, landed: [...first.landed, ...left] };
  }
  const second = await landBatch(desk, tasks.slice(half), landing);
  return {
    landed: [...first.landed, ...second.landed],
    postponed: [...first.postponed, ...second.postponed],
    stopped: second.stopped,
  };
}

/** Without a remote the branch may be checked out. The checkout is its owner's: it is not touched, and shows the merge as
 *  undone until its owner brings it up to date. */
async function tellCheckouts(
  { place, say }: TaskDesk,
  { branch, from }: { branch: string; from: string },
): Promise<void> {
  if (place.remote !== null) return;
  const registered = await registeredWorktrees(place.repository);
  if (!registered.ok) return;
  for (const { path, isBare } of registered.value.filter((each) => each.branch === branch))
    if (!isBare)
      say(
        `${path} has ${branch} checked out as it was; bring its files up to date with: git -C ${path} read-tree -m -u ${from} HEAD`,
      );
}

async function complete(
  desk: TaskDesk,
  task: Task,
  merged: string,
  { by, deleteBranch }: Landing,
): Promise<Landed> {
  const message = { type: "state_change", who: by, text: merged } as const;
  const moved = await changeTask(desk, { task, to: "COMPLETED", set: { merged }, message });
  if (!moved.ok) {
    // It is merged all the same. Another merge may have said so, too.
    const now = await desk.store.get(task);
    if (now?.state !== "COMPLETED") return { task, outcome: "left", reason: moved.error };
  }
  const done = moved.ok ? moved.value : { ...task, merged };
  await takeBack(desk, done, deleteBranch);
  return { task: done, outcome: "merged" };
}

/** What was made for a completed task. What cannot be removed stays, and is named. */
export async function takeBack(desk: TaskDesk, task: Task, deleteBranch: boolean): Promise<void> {
  const cleaned = await cleanUp(desk.place, task, {
    archive: false,
    worktrees: true,
    branch: deleteBranch ? "merged" : "never",
  });
  if (!cleaned.ok) desk.say(`${task.id} is merged; left in place: ${cleaned.error.message}`);
}

async function sendBack(
  desk: TaskDesk,
  task: Task,
  reason: Failure,
  { by }: Landing,
): Promise<Landed> {
  const outcome = reason.code === "TASK_RED" ? "red" : "conflict";
  const moved = await changeTask(desk, {
    task,
    to: "WORKING",
    set: { note: reason.message },
    message: { type: "changes_requested", who: by, text: reason.message },
  });
  if (!moved.ok) return { task, outcome: "left", reason: moved.error };
  return { task: moved.value, outcome, reason };
}

function conflictOf({ id, integration }: Task, files: readonly string[]): Failure {
  return failure(
    "TASK_CONFLICT",
    `task ${id} conflicts with ${integration} in ${files.map((path) => JSON.stringify(path)).join(", ")}`,
    "its agent calls task done again: that rebases the branch and shows the conflicts",
  );
}

const SHOWN_CHARS = 4_000;

function redWith({ id }: Task, output: string): Failure {
  const end = output.slice(-SHOWN_CHARS);
  return failure(
    "TASK_RED",
    `the check fails with task ${id} merged${end === "" ? "" : `:\n${end}`}`,
    "its agent mends it and calls task done again",
  );
}

function redBefore({ integration }: Task): Failure {
  return failure(
    "TASK_RED",
    `${integration} fails the check without any task`,
    `mend ${integration} first, then merge again`,
  );
}

function notHere({ id, head }: Task): Failure {
  return failure(
    "WORKSPACE_ELSEWHERE",
    `the commit ${head} of task ${id} is not in this clone`,
    "merge it in the clone that has the task's worktree, or fetch the commit from there",
  );
}

function movedTooOften(): Failure {
  return failure(
    "TASK_CONFLICT",
    `the integration branch moved ${TRIES} times while it was merged and checked`,
    "try again: uncaged-workflow task merge",
  );
}
