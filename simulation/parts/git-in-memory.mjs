/** git as the merge queue and `task done` see it, in memory: stands in for the modules of `tasks` that start git, and for
 *  what it uses of `workspace`. Every call is an operation of its caller, at which that may be killed. */
import { failure } from "@uncaged/workflow-protocol";

// biome-ignore lint/performance/noReExportAll: what is not simulated is as it is.
export * from "@uncaged/workflow-workspace";

/** Set for each seed. */
export const git = { world: null };

const ok = (value) => ({ ok: true, value });

export function newGit() {
  const commits = new Map();
  const commit = (files, parents, by = null) => {
    const id = `c${commits.size}`;
    commits.set(id, { files, tree: treeOfFiles(files), parents, by });
    return id;
  };
  const world = {
    commits,
    commit,
    /** Of the remote. */
    refs: new Map(),
    /** Files of trees that commits or merges have. */
    trees: new Map(),
    worktrees: new Map(),
    pushed: new Set(),
    ancestorsOf: (id) => ancestorsOf(commits, id),
  };
  world.refs.set("main", commit({ "a.txt": "one" }, []));
  return world;
}

function treeOfFiles(files) {
  return JSON.stringify(Object.entries(files).toSorted());
}

export function filesOfTree(tree) {
  return Object.fromEntries(JSON.parse(tree));
}

function ancestorsOf(commits, id) {
  const found = new Set();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    open.push(...(commits.get(at)?.parents ?? []));
  }
  return found;
}

/** A common ancestor that is in the history of no other one. */
function mergeBase(world, a, b) {
  const [mine, yours] = [world.ancestorsOf(a), world.ancestorsOf(b)];
  const common = [...mine].filter((each) => yours.has(each));
  return common.find((each) =>
    common.every((other) => other === each || !world.ancestorsOf(other).has(each)),
  );
}

function mergedFiles(world, ours, theirs) {
  const files = (id) => world.commits.get(id)?.files ?? {};
  const [base, mine, yours] = [files(mergeBase(world, ours, theirs)), files(ours), files(theirs)];
  const merged = {};
  const conflicts = [];
  for (const path of new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(yours)])) {
    const [was, here, there] = [base[path], mine[path], yours[path]];
    if (here !== there && here !== was && there !== was) conflicts.push(path);
    const value = here === was ? there : here;
    if (value !== undefined) merged[path] = value;
  }
  return { merged, conflicts };
}

export async function integrationTip(place, integration) {
  await place.operate();
  return ok({ tip: git.world.refs.get(integration), made: null });
}

export async function sharedBranch(place, branch) {
  await place.operate();
  return ok(git.world.refs.get(branch) ?? null);
}

export const localBranch = sharedBranch;

/** The compare-and-set of a push with a lease. */
export async function moveSharedBranch(place, { branch, from, to }) {
  await place.operate();
  const { refs } = git.world;
  if ((refs.get(branch) ?? null) !== from) return ok("moved");
  if (to === null) refs.delete(branch);
  else refs.set(branch, to);
  await place.operate();
  return ok("done");
}

export const moveLocalBranch = moveSharedBranch;

export async function hasCommit(place, commit) {
  await place.operate();
  return ok(git.world.commits.has(commit));
}

export async function isAncestor(place, commit, of) {
  await place.operate();
  return ok(git.world.ancestorsOf(of).has(commit));
}

export async function mergeCommits(place, { ours, theirs }) {
  await place.operate();
  const { merged, conflicts } = mergedFiles(git.world, ours, theirs);
  if (conflicts.length > 0) return ok({ kind: "conflict", files: conflicts });
  const commit = git.world.commit(merged, [ours, theirs], { queue: true });
  return ok({ kind: "merged", commit, tree: git.world.commits.get(commit).tree });
}

export async function joinCommits(place, { tree, parents }) {
  await place.operate();
  return ok(git.world.commit(filesOfTree(tree), parents, { queue: true }));
}

export async function treeOf(place, commit) {
  await place.operate();
  return ok(git.world.commits.get(commit).tree);
}

/** With a conflict it stays in progress until its agent has mended it. */
export async function rebaseBranch(place, { workTree }, onto) {
  await place.operate();
  const { world } = git;
  const worktree = world.worktrees.get(workTree);
  if (worktree.isRebasing) return ok({ kind: "conflict", files: ["a.txt"] });
  if (world.ancestorsOf(worktree.head).has(onto)) return ok({ kind: "done" });
  const { merged, conflicts } = mergedFiles(world, onto, worktree.head);
  if (conflicts.length > 0) {
    worktree.isRebasing = true;
    worktree.onto = onto;
    return ok({ kind: "conflict", files: conflicts });
  }
  worktree.head = world.commit(merged, [onto], worktree.by);
  await place.operate();
  return ok({ kind: "done" });
}

export const registeredWorktrees = async () => ok([]);

export async function findRepository(path) {
  const known = git.world.worktrees.has(path);
  const repository = { workTree: path, gitDir: path, commonDir: "/repo", objectFormat: "sha1" };
  return ok(known ? repository : null);
}

export const headOf = async ({ workTree }) => ok(git.world.worktrees.get(workTree).head);
export const branchOf = async ({ workTree }) => ok(git.world.worktrees.get(workTree).branch);
export const unsavedIn = async () => ok({ changes: [] });
export const underwayIn = ({ workTree }) =>
  git.world.worktrees.get(workTree).isRebasing ? "rebase" : null;

/** Refs that say what a task has pushed. */
export async function runGit([command, ref]) {
  if (command === "update-ref") git.world.pushed.add(ref);
  else return { ok: false, error: failure("GIT_FAILED", `not simulated: git ${command}`, "") };
  return ok("");
}

export async function tryGit(args) {
  return ok({ exitCode: git.world.pushed.has(args.at(-1)) ? 0 : 1, stdout: "", stderr: "" });
}
