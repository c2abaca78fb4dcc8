/** A runner is killed at random instants, again and again, and nothing is lost or done twice. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOf } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { rests, untilThread } from "./until-thread.test.helper.ts";

/** `npm run trials -- --long` asks for more. */
const KILLS = Number(process.env.UNCAGED_TEST_KILLS ?? 15);
const WORKER_STEPS = 19;
/** So long that a step does not end while the test looks at the one before, on a busy machine. */
const STEP_MS = 150;
/** A kill, the checks after it, and its share of a thread, on a busy machine. */
const BUSY_KILL_MS = 15_000;
/** The most kills for one thread, so that kills also reach its later steps. */
const KILLS_PER_THREAD = 5;

type Thread = { threadId: string; folder: string };
type Step = { stateHash: string; role: string };
type Shown = { status: string; steps: Step[] };

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

describe("a runner that is killed with SIGKILL", () => {
  it(`at ${KILLS} random instants loses no step and repeats none`, {
    timeout: 60_000 + KILLS * BUSY_KILL_MS,
  }, async () => {
    const reached = new Set<number>();
    for (let kills = 0; kills < KILLS; ) {
      const thread = await newThread();
      let known: Shown = { status: "idle", steps: [] };
      for (let times = 0; times < KILLS_PER_THREAD && kills < KILLS; times++) {
        const begun = begunSteps(thread).length;
        if (!(await resume(thread))) {
          // Its last commit was in flight when the runner was killed: written, but not yet announced to who had the
          // index open. The first to open it alone finds it.
          known = await expectNothingLost(thread, known, begun);
          expect(known.status).toBe("completed");
          break;
        }
        const killed = await killRunner(thread, known.steps.length);
        known = await expectNothingLost(thread, known, begun);
        if (!killed || known.status === "completed") break;
        kills += 1;
        reached.add(known.steps.length);
      }
      await finish(thread, known);
    }
    // The kills were spread over the thread, not all before its first step or after its last.
    expect(reached.size).toBeGreaterThan(Math.min(8, KILLS / 4));
    expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true, problems: [] });
  });
});

async function newThread(): Promise<Thread> {
  const prompt = JSON.stringify({ steps: WORKER_STEPS, sleepMs: STEP_MS });
  const folder = join(cli.dir, "work", String(Math.random()).slice(2));
  mkdirSync(folder, { recursive: true });
  const { threadId } = await cli.here<{ threadId: string }>([
    ...["thread", "run", "steps", "--idle", "--cwd", folder, "--prompt", prompt],
  ]);
  return { threadId, folder };
}

/** False when the thread had completed before; any other refusal throws. */
async function resume({ threadId }: Thread): Promise<boolean> {
  const { code, stdout, stderr } = await cli.run(["--json", "thread", "resume", threadId]);
  if (code === 0) return true;
  if (stderr.includes("is completed")) return false;
  throw new Error(`thread resume: exit ${code}\n${stdout}${stderr}`);
}

/** Kills within one of the steps that are left. The step is what is drawn, not a time: on a slow machine, all kills
 *  within some fixed time would meet the first steps. False when the thread had already ended. */
async function killRunner({ threadId }: Thread, done: number): Promise<boolean> {
  const lease = leaseOf(await untilThread(cli.root, threadId, () => true));
  if (lease === null) return false;
  const step = done + Math.floor(Math.random() * (WORKER_STEPS + 2 - done));
  await untilThread(cli.root, threadId, (thread) => thread.stepCount >= step || rests(thread));
  await sleep(Math.random() * 2 * STEP_MS);
  return killHard(lease.process.pid);
}

/** Every acknowledged step still exists, unchanged, and none was begun again. */
async function expectNothingLost(
  thread: Thread,
  before: Shown,
  begunBefore: number,
): Promise<Shown> {
  const now = await cli.here<Shown>(["thread", "show", thread.threadId]);
  expect(hashes(now).slice(0, before.steps.length)).toEqual(hashes(before));
  const workerSteps = before.steps.filter(({ role }) => role === "worker").length;
  const begunSince = begunSteps(thread).slice(begunBefore);
  expect(begunSince.filter((step) => step <= workerSteps)).toEqual([]);
  return now;
}

async function finish(thread: Thread, before: Shown): Promise<void> {
  const begun = begunSteps(thread).length;
  let shown = before;
  if (before.status !== "completed") {
    const resumed = await resume(thread);
    const running = await expectNothingLost(thread, before, begun);
    expect(resumed ? ["running", "completed"] : ["completed"]).toContain(running.status);
    await untilThread(cli.root, thread.threadId, rests);
    shown = await expectNothingLost(thread, before, begun);
    expect(hashes(shown).slice(0, running.steps.length)).toEqual(hashes(running));
    expect(shown.status).toBe("completed");
  }
  expect(shown.steps).toHaveLength(WORKER_STEPS + 1);
  expect(await cli.here(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
}

function hashes({ steps }: Shown): string[] {
  return steps.map(({ stateHash }) => stateHash);
}

/** The worker's steps in the order in which they were begun. */
function begunSteps({ folder }: Thread): number[] {
  try {
    // Empty between its creation and the first line.
    const lines = readFileSync(join(folder, "began"), "utf8").split("\n");
    return lines.filter((line) => line !== "").map(Number);
  } catch {
    return [];
  }
}
