/** Two verbs at once on one thread, from two processes. One wins, the other is refused cleanly or does its own
 *  part; either way the chain verifies, and no completed step is lost. UNCAGED_TEST_RACES sets the number of races. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, killThread, openEngine, stopThread } from "@uncaged/workflow-execute";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli, type Ran } from "./cli.test.helper.ts";
import { rests, untilThread } from "./until-thread.test.helper.ts";

const RACES = Number(process.env.UNCAGED_TEST_RACES ?? 12);

type Shown = { status: string; head: string; steps: { stateHash: string; role: string }[] };

/** Exit codes of verbs that did what they were asked, or said why not: they were too late, the thread was not
 *  theirs, or it was ended while they ran. */
const CLEAN = new Set([0, 3, 6, 130]);
const REFUSALS = new Set(["TRANSITION_INVALID", "LEASE_HELD", "LEASE_LOST", "THREAD_ABORTED"]);

const VERBS: { readonly [verb: string]: readonly string[] } = {
  resume: ["resume", "ID"],
  poke: ["poke", "ID", "--prompt", "once more"],
  fork: ["fork", "ID", "--idle"],
  kill: ["kill", "ID"],
  pause: ["pause", "ID"],
  exec: ["exec", "ID"],
};
const NAMES = Object.keys(VERBS);
const PAIRS = NAMES.flatMap((a, at) => NAMES.slice(at).map((b) => [a, b] as const));

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

describe("two verbs at once", () => {
  it.each(Array.from({ length: RACES }, (_unused, at) => at))(
    "leave a valid thread, race %i",
    async (at) => {
      const [one, other] = PAIRS[(at * 8) % PAIRS.length] ?? ["exec", "exec"];
      const threadId = await startedThread();
      const before = await show(threadId);
      const [a, b] = await Promise.all([call(one, threadId), call(other, threadId)]);
      for (const [verb, ran] of [
        [one, a],
        [other, b],
      ] as const) {
        expect(CLEAN, `${one} beside ${other}: ${verb} said ${ran.stderr}`).toContain(ran.code);
        if (ran.code !== 0) expect(REFUSALS, ran.stderr).toContain(reasonOf(ran));
      }
      expect(
        [a.code, b.code].some((code) => code === 0),
        `${one} and ${other} both lost: ${a.stderr} ${b.stderr}`,
      ).toBe(true);
      await atRest(threadId);
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
      const after = await show(threadId);
      const kept = before.steps.slice(0, [one, other].includes("poke") ? -1 : undefined);
      expect(after.steps.slice(0, kept.length)).toEqual(kept);
      // A kill that comes after the end is refused, like any verb that comes too late.
      const killed = (one === "kill" && a.code === 0) || (other === "kill" && b.code === 0);
      if (killed) expect(after.status).toBe("aborted");
    },
  );
});

describe("a thread that was taken up after somebody read it", () => {
  it("is ended through its new owner by a kill, which says so", async () => {
    const { idle, ran } = await takenUp();
    const ended = await withEngine((engine) => killThread(engine, idle, NEVER));
    expect(ended).toMatchObject({ ok: true, value: { status: "aborted" } });
    const { code, stdout } = await ran;
    expect([code, JSON.parse(stdout)]).toMatchObject([130, { status: "aborted" }]);
  });

  it("is kept by its new owner when what was read is stopped", async () => {
    const { idle, ran, open } = await takenUp();
    await withEngine((engine) => stopThread(engine, idle, NEVER));
    open();
    const { code, stdout } = await ran;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: "idle" }]);
  });
});

const NEVER = { signal: new AbortController().signal };

/** A command drives the thread and waits in its first step until the gate opens. `idle`: its state before that. */
async function takenUp(): Promise<{ idle: ThreadRecord; ran: Promise<Ran>; open: () => void }> {
  const gate = `gate-${String(Math.random()).slice(2)}`;
  const prompt = JSON.stringify({ gate });
  const started = ["run", "steps", "--prompt", prompt, "--idle"];
  const { threadId } = await cli.here<{ threadId: string }>(started);
  const idle = await untilThread(cli.root, threadId, rests);
  const ran = cli.run(["--json", "thread", "exec", threadId]);
  await untilThread(cli.root, threadId, ({ status }) => status === "running");
  return { idle, ran, open: () => writeFileSync(join(cli.dir, `${gate}-1`), "") };
}

async function withEngine<T>(use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine({ root: cli.root, packagesBase: import.meta.url });
  try {
    return await use(engine);
  } finally {
    await engine.store.close();
  }
}

async function startedThread(): Promise<string> {
  const prompt = JSON.stringify({ steps: 4, sleepMs: 30 });
  const started = ["run", "steps", "--prompt", prompt, "--idle"];
  const { threadId } = await cli.here<{ threadId: string }>(started);
  await cli.json(["thread", "exec", threadId]);
  return threadId;
}

function call(verb: string, threadId: string): Promise<Ran> {
  const words = (VERBS[verb] ?? []).map((word) => (word === "ID" ? threadId : word));
  return cli.run(["--json", "thread", ...words]);
}

/** The code that a command was refused with; for a run that was ended, its result. */
function reasonOf({ stdout, stderr }: Ran): string {
  if (stderr === "") {
    expect(JSON.parse(stdout)).toMatchObject({ status: "aborted" });
    return "THREAD_ABORTED";
  }
  const { error }: { error: { code: string } } = JSON.parse(stderr);
  return error.code;
}

const show = (threadId: string): Promise<Shown> => cli.here<Shown>(["thread", "show", threadId]);

async function atRest(threadId: string): Promise<void> {
  await untilThread(cli.root, threadId, rests);
}
