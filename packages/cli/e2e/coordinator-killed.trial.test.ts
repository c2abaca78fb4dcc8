/** A coordinator and its workers are killed together at random instants, again and again: each end is told once, no
 *  worker that has finished runs again, and all together exceed their budget by no more than one call. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, leaseOf, type ThreadRecord } from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { CHORE, leadWorkflow } from "./coordinating-workflow.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

/** `npm run trials -- --long` asks for more. */
const KILLS = Number(process.env.UNCAGED_TEST_COORDINATOR_KILLS ?? 2);
const WORKERS = 5;
/** From the start of the coordinator to its end, about. */
const THREAD_MS = 4_000;
const CALL_TOKENS = 7;
/** What all workers may use: less than they want, which is 70. */
const POOR_TOKENS = 40;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  await add("chore", CHORE);
  const bounds = { workflows: ["chore"], atOnce: WORKERS, max: WORKERS, budgetShare: 0.5 };
  await add("lead", leadWorkflow(bounds, { tokens: 500 }));
  await add("poor", leadWorkflow(bounds, { tokens: 2 * POOR_TOKENS }));
});
afterAll(() => cli.close());

it.each([
  { workflow: "lead", isPoor: false },
  { workflow: "poor", isPoor: true },
])(
  `a coordinator ($workflow) and ${WORKERS} workers, all killed at ${KILLS} random instants`,
  {
    timeout: 120_000 + KILLS * 30_000,
  },
  async ({ workflow, isPoor }) => {
    let killed = 0;
    for (let round = 0; killed < KILLS; round += 1) {
      const folder = join(cli.dir, "work", `${workflow}-${round}`);
      mkdirSync(folder, { recursive: true });
      const tasks = Array.from({ length: WORKERS }, (_, at) => ({
        title: `t${at}`,
        prompt: JSON.stringify({ name: `t${at}`, rounds: 2, sleepMs: 150, tokens: CALL_TOKENS }),
      }));
      const { threadId } = await cli.json<{ threadId: string }>([
        ...["run", workflow, "--cwd", folder, "--prompt", JSON.stringify({ tasks })],
      ]);
      const finished = new Map<string | null, number>();
      for (let times = 0; times < 3 && killed < KILLS; times += 1) {
        await sleep(Math.random() * THREAD_MS);
        const [lead] = await family(threadId);
        if (isFinal(lead?.status ?? "completed")) break;
        await killAll(threadId);
        const [left, ...others] = await family(threadId);
        // It was done before it was hit: nobody can resume it.
        if (isFinal(left?.status ?? "completed")) break;
        killed += 1;
        const done = others.filter(isDone);
        for (const each of done) finished.set(each.title, runs(folder, each));
        await cli.json(["thread", "resume", threadId]);
      }
      await untilThread(cli.root, threadId, ({ status }) => isFinal(status));
      for (const [title, count] of finished) expect(runs(folder, { title })).toBe(count);
      const [lead, ...workers] = await family(threadId);
      expect(lead?.status).toBe("completed");
      expect(workers.map(({ title }) => title).toSorted()).toEqual(tasks.map(({ title }) => title));
      const used = workers.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0);
      if (isPoor) expect(used).toBeGreaterThanOrEqual(POOR_TOKENS);
      expect(used).toBeLessThan((isPoor ? POOR_TOKENS : 250) + CALL_TOKENS);
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
      // Every end was delivered, by a notification or, where a kill came between, by the account.
      const heard = readFileSync(join(folder, "heard"), "utf8").split("\n").filter(Boolean);
      const told = heard.flatMap((line) =>
        [...line.matchAll(/<task-id>(w\d)<\/task-id>/g)].map(([, id]) => id),
      );
      expect(told.toSorted()).toEqual([...new Set(told)].toSorted());
      const accounted = heard.flatMap((line) =>
        [...line.matchAll(/<worker id=."(w\d)."[^>]* status=."(?:completed|failed)."/g)].map(
          ([, id]) => id,
        ),
      );
      expect(new Set([...told, ...accounted]).size).toBe(WORKERS);
    }
  },
);

async function add(name: string, source: string): Promise<void> {
  const file = join(cli.dir, "flow", `${name}.mjs`);
  writeFileSync(file, source);
  const built = await cli.json<{ file: string }>(["workflow", "build", file]);
  await cli.json(["workflow", "add", name, built.file]);
}

/** The coordinator, then its workers. */
async function family(threadId: string): Promise<ThreadRecord[]> {
  const store = await openThreadStore(cli.root);
  try {
    const lead = await store.get(threadId);
    return [...(lead === null ? [] : [lead]), ...(await store.list({ parentThread: threadId }))];
  } finally {
    await store.close();
  }
}

/** Until nobody runs any of them: a worker may start while others are killed. */
async function killAll(threadId: string): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    const pids = (await family(threadId)).flatMap((each) => leaseOf(each)?.process.pid ?? []);
    const hits = await Promise.all(pids.map((pid) => killHard(pid).catch(() => false)));
    quiet = hits.some(Boolean) ? 0 : quiet + 1;
    await sleep(100);
  }
}

function isDone(thread: ThreadRecord): boolean {
  return isFinal(thread.status) || thread.status === "suspended";
}

function runs(folder: string, { title }: Pick<ThreadRecord, "title">): number {
  try {
    const lines = readFileSync(join(folder, "ran"), "utf8").split("\n");
    return lines.filter((line) => line.startsWith(`${title}.`)).length;
  } catch {
    return 0;
  }
}
