/** Many agents in one repository, killed at random: nothing they finished is lost, and no commit of the integration branch
 *  is red. `UNCAGED_TEST_FLEET` sets how many there are. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type Scene, taskScene } from "./tasks.test.helper.ts";

const AGENTS = Number(process.env.UNCAGED_TEST_FLEET ?? 3);
const PATIENCE_MS = 60_000 + AGENTS * 60_000;

let scene: Scene;
afterEach(() => scene.close());

it("agents that are killed at random finish, and what lands is green", {
  timeout: PATIENCE_MS,
}, async () => {
  scene = taskScene({ remote: true });
  const { repo, shared } = scene;
  const ids = Array.from({ length: AGENTS }, (_, n) => `job-${n}`);
  /** Of agents that were given up: each wakes up some time later, and finishes its attempt. */
  const sleepers: Promise<void>[] = [];
  /** One agent: its work is green unless it is the third, and the first two change one line. Of three, one falls asleep,
   *  and another takes over. */
  const agent = async (id: string, n: number): Promise<void> => {
    await persist(repo, ["spawn", id]);
    const first = scene.worktree(id);
    await persist(first, ["start"]);
    let at = first;
    if (n % 3 === 2) {
      scene.write(first, { [`parts/${id}.late`]: id });
      await scene.does(repo, "fail", "gone", "--task", id);
      await scene.does(repo, "retry", "--task", id);
      at = scene.worktree(`${id}.2`);
      sleepers.push(wakeUp(first));
      await persist(at, ["start"]);
    }
    const own = { [`parts/${id}${n === 2 ? ".broken" : ""}`]: id };
    scene.commit(at, n < 2 ? { ...own, "a.txt": `${id}\n` } : own);
    await persist(at, ["done"]);
    await persist(repo, ["approve", "--task", id]);
  };
  // One after the other for each agent, all agents at once.
  await Promise.all(ids.map(agent));
  await Promise.all(sleepers);
  const merge = ["merge", "--all", "--check", "sh check.sh"];
  await killed(repo, merge);
  await Promise.all([scene.task(repo, merge), scene.task(repo, merge)]);
  await scene.task(repo, merge);
  const states = Object.fromEntries((await scene.all()).map(({ id, state }) => [id, state]));
  const expected = ids.map((id, n) => [id, n === 2 ? "WORKING" : "COMPLETED"]);
  const loser = states["job-0"] === "WORKING" ? "job-0" : "job-1";
  expect(states).toEqual({ ...Object.fromEntries(expected), [loser]: "WORKING" });
  for (const commit of scene.git(shared, "rev-list", "--first-parent", "main").trim().split("\n"))
    expect(scene.git(shared, "ls-tree", "-r", "--name-only", commit)).not.toMatch(
      /\.(broken|late)$/m,
    );
  for (const id of ids.filter((each) => states[each] === "COMPLETED"))
    expect(scene.git(shared, "show", `main:parts/${id}`)).toBe(id);
  for (const id of ids.filter((each) => states[each] === "WORKING"))
    expect(scene.git(repo, "log", "--format=%s", `feat/${id}`)).toContain("work");
  expect(scene.git(repo, "status", "--porcelain")).toBe("");
});

/** Whatever it does then is refused, and its commit gets in nowhere. */
async function wakeUp(at: string): Promise<void> {
  await sleep(Math.random() * 3_000);
  scene.commit(at, {});
  for (const verb of ["heartbeat", "done"]) {
    const { code, stderr } = await scene.task(at, [verb]);
    expect({ verb, code, stderr }).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("TASK_LOST"),
    });
  }
}

/** Gives a command until it succeeds; at first it is killed at a random instant. */
async function persist(cwd: string, args: readonly string[]): Promise<void> {
  await killed(cwd, args);
  const ran = await scene.task(cwd, args);
  expect({ args, code: ran.code, stderr: ran.code === 0 ? "" : ran.stderr }).toEqual({
    args,
    code: 0,
    stderr: "",
  });
}

async function killed(cwd: string, args: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const child = scene.start(cwd, args);
  const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * 2_000);
  child.once("close", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
