/** Groups by the built command: members are real processes, and their runner is killed at random instants. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOf, type StepGroup } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { rests, untilThread } from "./until-thread.test.helper.ts";

/** `npm run trials -- --long` asks for 100. */
const KILLS = Number(process.env.UNCAGED_TEST_GROUP_KILLS ?? 6);
const KILLS_PER_THREAD = 3;
/** About how long the group takes. */
const GROUP_MS = 1_000;
/** A kill, the checks after it, and its share of a thread, on a busy machine. */
const BUSY_KILL_MS = 20_000;

/** Records that it began, waits while a file `hold-<its number>` exists, and answers with its number. */
const WORKER = `prompt=$(cat)
n=\${prompt##*item-}
n=\${n%%[!0-9]*}
echo "$n" >> began
sleep 0.05
while [ -e "hold-$n" ]; do sleep 0.02; done
echo "{\\"status\\":\\"done\\",\\"n\\":$n}"
`;
const FLOW = `description: Fans out
agents: { default: practice }
roles:
  worker:
    goal: work
    output:
      type: object
      properties: { status: { enum: [done] }, n: { type: integer } }
      required: [status, n]
      additionalProperties: false
graph:
  $START:
    new: { group: work, each: "[1..20]", as: n, role: worker, prompt: "item-{{ n }}", atOnce: 4 }
  work: { done: $END, otherwise: worker }
  worker: { done: $END }
result: $sum(group.results.meta.n)
`;

type Step = { stateHash: string; role: string; group?: StepGroup };
type Shown = { status: string; steps: Step[] };
type Thread = { threadId: string; folder: string };

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  mkdirSync(cli.root, { recursive: true });
  const script = join(cli.dir, "worker.sh");
  writeFileSync(script, WORKER);
  const options = { command: "/bin/sh", args: [script], output: "json" };
  const agents = { practice: { package: "@uncaged/workflow-agent-command", options } };
  const settings = JSON.stringify({ config: { agents } });
  writeFileSync(join(cli.root, "workflow.yaml"), settings, { mode: 0o600 });
  writeFileSync(join(cli.dir, "fan.yaml"), FLOW);
  await cli.json(["workflow", "add", "fan", "fan.yaml"]);
});
afterAll(() => cli.close());

describe("a group of 20 real processes", () => {
  it(`whose runner is killed at ${KILLS} random instants runs no finished member again, and misses none`, {
    timeout: 60_000 + KILLS * BUSY_KILL_MS,
  }, async () => {
    for (let kills = 0; kills < KILLS; ) {
      const thread = await newThread();
      for (let times = 0; times < KILLS_PER_THREAD && kills < KILLS; times += 1) {
        const before = await shown(thread);
        // The runner was killed after its thread had ended.
        if (before.status === "completed") break;
        const finished = finishedMembers(before);
        const begun = begunMembers(thread).length;
        await cli.json(["thread", "resume", thread.threadId]);
        const killed = await killRunner(thread, Math.random() * GROUP_MS);
        expectNoneAgain(thread, { finished, begun });
        if (!killed) break;
        kills += 1;
      }
      await finish(thread);
    }
    expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true, problems: [] });
  });

  it("is continued by a fork from within it, and its members can be poked", async () => {
    const thread = await newThread();
    const exec = ["thread", "exec", thread.threadId, "--count", "3"];
    expect(await cli.json(exec)).toMatchObject({ status: "idle", nextRole: "work" });
    const before = await shown(thread);
    expect(finishedMembers(before)).toHaveLength(3);
    expect(begunMembers(thread)).toHaveLength(3);

    const head = before.steps.at(-1)?.group;
    await cli.json(["thread", "poke", thread.threadId, "--prompt", "item-40, please"]);
    const poked = await shown(thread);
    expect(poked.steps.slice(0, 2)).toEqual(before.steps.slice(0, 2));
    expect(poked.steps[2]).toMatchObject({ group: head, meta: { n: 40 } });
    expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });

    const forked = await cli.json<{ threadId: string }>([
      ...["thread", "fork", thread.threadId, "--from-step", "2", "--idle"],
    ]);
    const prompted = await cli.fails([
      ...["thread", "fork", thread.threadId, "--from-step", "2", "--prompt", "be brief"],
    ]);
    expect(prompted).toMatchObject({ code: "TRANSITION_INVALID" });
    const fork = { ...thread, threadId: forked.threadId };
    await finish(fork);
    const after = await shown(fork);
    expect(after.steps.slice(0, 2)).toEqual(before.steps.slice(0, 2));
    const late = await cli.fails(["thread", "poke", fork.threadId, "--prompt", "again"]);
    expect(late).toMatchObject({ code: "TRANSITION_INVALID" });
  });

  it("is compared in declared order, whichever member finished first", async () => {
    const [late, other] = [await newThread(), await newThread()];
    const hold = join(late.folder, "hold-1");
    writeFileSync(hold, "");
    await cli.json(["thread", "resume", late.threadId]);
    await untilThread(cli.root, late.threadId, ({ stepCount }) => stepCount === 19);
    rmSync(hold);
    await untilThread(cli.root, late.threadId, rests);
    await finish(other);
    expect(finishedMembers(await shown(late)).at(-1)).toBe(1);
    const words = ["thread", "diff", late.threadId, other.threadId];
    const diff = await cli.json<{ partsAt: number | null; rounds: { a: Step; b: Step }[] }>(words);
    expect(diff.partsAt).toBe(null);
    expect(diff.rounds.map(({ a, b }) => [a.group?.index, b.group?.index])).toEqual(
      Array.from({ length: 20 }, (_, at) => [at, at]),
    );
    expect((await cli.run(words)).stdout).toContain("#1 worker [work 1/20] (equal)\n");
  });

  it("is drawn as one state", async () => {
    const { stdout } = await cli.run(["workflow", "show", "fan", "--graph"]);
    expect(stdout).toContain("│ work: worker for each [1..20] │");
    const drawn = await cli.run(["workflow", "show", "fan", "--mermaid"]);
    expect(drawn.stdout).toContain('[["work#58; worker for each #91;1..20#93;"]]');
  });
});

async function newThread(): Promise<Thread> {
  const folder = join(cli.dir, "work", String(Math.random()).slice(2));
  mkdirSync(folder, { recursive: true });
  const { threadId } = await cli.here<{ threadId: string }>([
    ...["thread", "run", "fan", "--idle", "--cwd", folder, "--prompt", "go"],
  ]);
  return { threadId, folder };
}

function shown({ threadId }: Thread): Promise<Shown> {
  return cli.here<Shown>(["thread", "show", threadId]);
}

/** False when the thread had already ended. */
async function killRunner({ threadId }: Thread, afterMs: number): Promise<boolean> {
  const lease = leaseOf(await untilThread(cli.root, threadId, () => true));
  if (lease === null) return false;
  await sleep(afterMs);
  return killHard(lease.process.pid);
}

/** Numbers of the members whose steps are recorded. */
function finishedMembers({ steps }: Shown): number[] {
  return steps.flatMap(({ group }) => (group === undefined ? [] : [group.index + 1]));
}

function begunMembers({ folder }: Thread): number[] {
  try {
    return readFileSync(join(folder, "began"), "utf8").trim().split("\n").map(Number);
  } catch {
    return [];
  }
}

function expectNoneAgain(
  thread: Thread,
  { finished, begun }: { finished: readonly number[]; begun: number },
): void {
  const since = begunMembers(thread).slice(begun);
  expect(since.filter((member) => finished.includes(member))).toEqual([]);
}

async function finish(thread: Thread): Promise<void> {
  const before = await shown(thread);
  const known = { finished: finishedMembers(before), begun: begunMembers(thread).length };
  if (before.status !== "completed") {
    await cli.json(["thread", "resume", thread.threadId]);
    await untilThread(cli.root, thread.threadId, rests);
  }
  expectNoneAgain(thread, known);
  const after = await shown(thread);
  expect(after).toMatchObject({ status: "completed", result: { value: 210 } });
  expect(finishedMembers(after).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
  expect(await cli.here(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
}
