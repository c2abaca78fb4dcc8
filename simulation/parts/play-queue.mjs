/** One seed of the merge queue: agents that lie, conflict, break what another one did, come back from the dead; reviewers;
 *  people who push; checks that fail for nothing; and two queues at a time that are killed at any operation. Returns what
 *  did not hold. */
import { createHash } from "node:crypto";
import { memoryTasks } from "@uncaged/workflow-store";
import {
  approveTask,
  failTask,
  finishTask,
  mergeAll,
  mergeTask,
  requestChanges,
  startTask,
} from "@uncaged/workflow-tasks";
import { filesOfTree, git, newGit } from "./git-in-memory.mjs";
import { randomOf } from "./random.mjs";

const TASKS = 7;
const ACTIONS = 60;
/** Rounds without any trouble, after which all must have ended. */
const CALM_ROUNDS = 40;

class Killed extends Error {}

export async function playQueue(seed) {
  const random = randomOf(seed);
  git.world = newGit();
  const run = {
    ...{ random, world: git.world, store: memoryTasks(), tokens: new Map(), nowMs: 0 },
    ...{
      problems: [],
      log: [],
      outsiders: [],
      green: new Set(),
      isCalm: false,
      merges: 0,
      kills: 0,
    },
  };
  for (let at = 0; at < ACTIONS && run.problems.length === 0; at += 1) {
    await act(run);
    await check(run);
  }
  run.isCalm = true;
  for (let round = 0; round < CALM_ROUNDS && run.problems.length === 0; round += 1) {
    for (const task of await run.store.list("/repo")) await bring(run, task);
    await merge(run);
    await check(run);
  }
  const wrong = run.problems.length > 0 ? [] : await run.store.list("/repo");
  for (const { id, state } of wrong)
    if (state !== "COMPLETED") run.problems.push(`task ${id} is ${state} in the end`);
  const { problems, log, merges, kills } = run;
  return { problems, log, merges, kills };
}

/** Whether a tree is as it must be: the truth, which the check tells unless it is flaky. */
function isGreen(files) {
  const paths = Object.keys(files);
  const halves = paths.filter((path) => path.startsWith("half/"));
  return paths.every((path) => !path.endsWith(".broken")) && halves.length < 2;
}

async function act(run) {
  const { random, store } = run;
  const tasks = await store.list("/repo");
  if (tasks.length < TASKS && random.chance(0.4)) return spawn(run, `t${tasks.length}`);
  if (random.chance(0.1)) return outsider(run);
  if (tasks.length === 0 || random.chance(0.35)) return merge(run);
  const task = random.oneOf(tasks);
  if (random.chance(0.12)) return retry(run, task);
  if (random.chance(0.15)) return zombie(run, task);
  return bring(run, task);
}

function tick(run) {
  run.nowMs += 1;
  return run.nowMs;
}

/** What the caller of a verb works with; it is killed after so many operations. */
function desk(run, { context = null, left = Number.POSITIVE_INFINITY } = {}) {
  const { random, store, world } = run;
  const operate = async () => {
    left -= 1;
    if (left < 0) throw new Killed();
    for (let waits = random.below(4); waits > 0; waits -= 1) await null;
    if (!run.isCalm && random.chance(0.02)) outsider(run);
  };
  const slow =
    (name) =>
    async (...args) => {
      await operate();
      const answer = await store[name](...args);
      await operate();
      return answer;
    };
  const repository = {
    commonDir: "/repo",
    workTree: "/repo",
    gitDir: "/repo",
    objectFormat: "sha1",
  };
  const env = {};
  return {
    ...{ context, who: null, user: "boss", env, say: () => undefined, now: () => tick(run) },
    store: { ...store, move: slow("move"), get: slow("get"), beat: slow("beat") },
    place: { repository, root: "/repo", remote: "remote", local: {}, operate, world },
    settings: { integration: "main", worktrees: null, setup: null },
  };
}

/** A refusal is a value, and fine; so is a death. */
async function happens(run, name, act) {
  try {
    const done = await act();
    run.log.push(`${name}: ${done.ok ? "done" : done.error.code}`);
    return done;
  } catch (thrown) {
    if (!(thrown instanceof Killed)) throw thrown;
    run.kills += 1;
    run.log.push(`${name}: killed`);
    return null;
  }
}

const mortal = (run, most) =>
  !run.isCalm && run.random.chance(0.5) ? { left: run.random.below(most) } : {};

function contextOf(run, { id, attempt }) {
  const token = run.tokens.get(`${id} ${attempt}`);
  return {
    task: id,
    attempt,
    token,
    repository: "/repo",
    branch: `feat/${id}`,
    integration: "main",
  };
}

async function spawn(run, id) {
  run.log.push(`spawn ${id}`);
  const place = { repository: "/repo", id, branch: `feat/${id}`, worktree: `/${id}.1` };
  const tokenSha256 = giveOut(run, { id, attempt: 1, head: run.world.refs.get("main") });
  const rest = { description: "", integration: "main", workflow: null, tokenSha256 };
  await run.store.add({ ...place, ...rest }, { who: null, nowMs: tick(run) });
}

function giveOut(run, { id, attempt, head }) {
  const token = `token ${id} ${attempt}`;
  run.tokens.set(`${id} ${attempt}`, token);
  const by = { id, attempt, isLate: false };
  run.world.worktrees.set(`/${id}.${attempt}`, {
    branch: `feat/${id}`,
    head,
    isRebasing: false,
    by,
  });
  return createHash("sha256").update(token).digest("hex");
}

/** The next attempt begins with the commits of the last one, which may still be alive. */
async function retry(run, task) {
  const failed = await happens(run, `fail ${task.id}`, () =>
    failTask(desk(run), { id: task.id, reason: "gone" }),
  );
  if (!failed?.ok) return;
  const { id, attempt } = task;
  const old = run.world.worktrees.get(`/${id}.${attempt}`);
  const tokenSha256 = giveOut(run, { id, attempt: attempt + 1, head: old.head });
  old.by = { ...old.by, isLate: true };
  const message = { type: "task_assign", who: null, text: null };
  const set = { worktree: `/${id}.${attempt + 1}`, tokenSha256 };
  await run.store.move({
    task: failed.value,
    to: "ASSIGNED",
    set,
    message,
    nowMs: tick(run),
  });
}

/** A program of an earlier attempt: it works in its own worktree, or has found the new one. */
async function zombie(run, { id, attempt, worktree }) {
  if (attempt === 1) return;
  const context = contextOf(run, { id, attempt: attempt - 1 });
  const own = run.world.worktrees.get(`/${id}.${attempt - 1}`);
  own.head = run.world.commit(
    { ...run.world.commits.get(own.head).files, [`late/${id}`]: "late" },
    [own.head],
    own.by,
  );
  const its = run.world.worktrees.get(worktree);
  const before = its.head;
  its.head = own.head;
  await happens(run, `late start ${id}`, () => startTask(desk(run, { context }), id));
  await happens(run, `late done ${id}`, () =>
    finishTask(desk(run, { context }), { id, skipRebase: false }),
  );
  its.head = before;
}

/** The next thing that somebody does to a task. */
async function bring(run, task) {
  const { random } = run;
  const { id, state } = task;
  const own = () => desk(run, { context: contextOf(run, task), ...mortal(run, 20) });
  if (state === "ASSIGNED") await happens(run, `start ${id}`, () => startTask(own(), id));
  if (state === "WORKING" || state === "CONFLICTED") {
    work(run, task);
    await happens(run, `done ${id}`, () => finishTask(own(), { id, skipRebase: false }));
  }
  if (state === "IN_REVIEW" && random.chance(0.2) && !run.isCalm)
    await happens(run, `send ${id} back`, () =>
      requestChanges(desk(run), { id, step: null, comment: "more" }),
    );
  else if (state === "IN_REVIEW")
    await happens(run, `approve ${id}`, () =>
      approveTask(desk(run, mortal(run, 6)), { id, step: null }),
    );
}

function work(run, { id, worktree, attempt }) {
  const { random, world } = run;
  const at = world.worktrees.get(worktree);
  const onto = at.isRebasing ? at.onto : at.head;
  const files = { ...world.commits.get(onto).files };
  for (const path of [`parts/${id}.broken`, `half/${id}`]) delete files[path];
  files[`parts/${id}`] = `${attempt} ${world.commits.size}`;
  if (!run.isCalm && random.chance(0.2)) files[`parts/${id}.broken`] = "says that its tests passed";
  if (!run.isCalm && random.chance(0.25))
    files[`half/${id}`] = "green alone, red with another half";
  if (!run.isCalm && random.chance(0.2)) files["a.txt"] = `by ${id}`;
  // What it had done to the same lines is given up for what is there now.
  at.head = world.commit(files, [onto], at.by);
  at.isRebasing = false;
}

/** Somebody pushes to the integration branch; it stays green. */
function outsider(run) {
  const { random, world } = run;
  const tip = world.refs.get("main");
  const files = { ...world.commits.get(tip).files };
  if (random.chance(0.3)) files["a.txt"] = `by people ${run.outsiders.length}`;
  files[`people/${run.outsiders.length}`] = "work";
  const commit = world.commit(files, [tip], { isOutside: true });
  if (!isGreen(files)) return;
  world.refs.set("main", commit);
  run.outsiders.push(commit);
  run.log.push(`people push ${commit}`);
}

async function merge(run) {
  const { random, store } = run;
  const check = async ({ tree }) => {
    for (let waits = random.below(30); waits > 0; waits -= 1) await null;
    if (!run.isCalm && random.chance(0.1)) outsider(run);
    const isFlaky = !run.isCalm && random.chance(0.05);
    const verdict = isGreen(filesOfTree(tree)) && !isFlaky;
    if (verdict) run.green.add(tree);
    return { ok: true, value: { isGreen: verdict, output: "" } };
  };
  const options = () => ({ check, deleteBranch: false, atOnce: 1 + random.below(5) });
  const queue = () =>
    happens(run, "merge --all", () => mergeAll(desk(run, mortal(run, 60)), options()));
  const one = random.oneOf((await store.list("/repo")).map(({ id }) => id).concat("t0"));
  const all = [queue()];
  if (random.chance(0.4)) all.push(queue());
  if (random.chance(0.3))
    all.push(happens(run, `merge ${one}`, () => mergeTask(desk(run), one, options())));
  await Promise.all(all);
}

async function check(run) {
  const { world, problems } = run;
  const tip = world.refs.get("main");
  const found = (what) => problems.push(what);
  run.merges = 0;
  for (let at = tip; at !== undefined; at = world.commits.get(at).parents[0]) {
    const { files, tree, by } = world.commits.get(at);
    if (!isGreen(files)) found(`${at} of the integration branch is red`);
    if (by?.queue !== true) continue;
    run.merges += 1;
    if (!run.green.has(tree)) found(`nobody checked the files of ${at}`);
  }
  const history = world.ancestorsOf(tip);
  for (const commit of run.outsiders)
    if (!history.has(commit)) found(`what people pushed as ${commit} is lost`);
  for (const { id, state, head, merged } of await run.store.list("/repo")) {
    if (state === "COMPLETED" && !(history.has(head) && history.has(merged)))
      found(`task ${id} is COMPLETED, and its ${head} is not merged`);
    if (!["IN_REVIEW", "APPROVED", "COMPLETED"].includes(state)) continue;
    const isLate = [...world.ancestorsOf(head)].some(
      (each) => world.commits.get(each).by?.isLate && world.commits.get(each).files[`late/${id}`],
    );
    if (isLate) found(`task ${id} offers what an attempt made that is over`);
  }
}
