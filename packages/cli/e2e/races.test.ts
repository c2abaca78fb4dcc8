/** Two verbs at once on one thread, from two processes. One wins, the other is refused cleanly or does its own
 *  part; either way the chain verifies, and no completed step is lost. UNCAGED_TEST_RACES says how many. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli, type Ran } from "./cli.test.helper.ts";

const RACES = Number(process.env.UNCAGED_TEST_RACES ?? 12);

type Shown = { status: string; head: string; steps: { stateHash: string; role: string }[] };

/** Exit codes of verbs that did what they were asked, or said why not: they were too late, the thread was not
 *  theirs, or it was ended under their hands. */
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
      expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
      const after = await show(threadId);
      const kept = before.steps.slice(0, [one, other].includes("poke") ? -1 : undefined);
      expect(after.steps.slice(0, kept.length)).toEqual(kept);
      if ([one, other].includes("kill")) expect(after.status).toBe("aborted");
    },
  );
});

async function startedThread(): Promise<string> {
  const prompt = JSON.stringify({ steps: 4, sleepMs: 30 });
  const started = ["run", "steps", "--prompt", prompt, "--idle"];
  const { threadId } = await cli.json<{ threadId: string }>(started);
  await cli.json(["thread", "exec", threadId]);
  return threadId;
}

function call(verb: string, threadId: string): Promise<Ran> {
  const words = (VERBS[verb] ?? []).map((word) => (word === "ID" ? threadId : word));
  return cli.run(["--json", "thread", ...words]);
}

/** What a command was refused with; a run that was ended says as its result that it was. */
function reasonOf({ stdout, stderr }: Ran): string {
  if (stderr === "") {
    expect(JSON.parse(stdout)).toMatchObject({ status: "aborted" });
    return "THREAD_ABORTED";
  }
  const { error }: { error: { code: string } } = JSON.parse(stderr);
  return error.code;
}

const show = (threadId: string): Promise<Shown> => cli.json<Shown>(["thread", "show", threadId]);

async function atRest(threadId: string): Promise<void> {
  for (let looks = 0; looks < 200; looks++) {
    const { threads } = await cli.json<{ threads: { threadId: string }[] }>(["thread", "ps"]);
    if (!threads.some((thread) => thread.threadId === threadId)) return;
  }
  throw new Error(`thread ${threadId} never came to rest`);
}
