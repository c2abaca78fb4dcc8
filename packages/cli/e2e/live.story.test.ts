/** Watching threads: no agent output is lost silently, and a thread's status is reported. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli, type Ran } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

type Item = { type: string; seq: number; from: number; to: number; event?: { text?: string } };

const plan = (more: object): string[] => ["--prompt", JSON.stringify({ steps: 1, ...more })];
const start = async (...args: string[]): Promise<string> =>
  (await cli.json<{ threadId: string }>(["run", "steps", ...args])).threadId;
const finished = async (more: object): Promise<string> => {
  const { stdout } = await cli.run(["run", "steps", "--wait", "--json", ...plan(more)]);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  return threadId;
};
const items = ({ stdout }: Ran): Item[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Every number once, as an event or as part of a gap. */
function accounted(lines: readonly Item[]): boolean {
  let next = 1;
  return lines.every(({ type, seq, from, to }) => {
    const [first, last] = type === "gap" ? [from, to] : [seq, seq];
    const sound = first === next;
    next = last + 1;
    return sound;
  });
}

describe("live", () => {
  it("returns all events of a flood, to watchers from the start and to late ones", async () => {
    const threadId = await start(...plan({ steps: 2, talk: 1_200, gate: "flood" }));
    const watching = [1, 2].map(() => cli.run(["live", threadId, "--json"]));
    for (const step of [1, 2]) writeFileSync(join(cli.dir, `flood-${step}`), "");
    const watched = await Promise.all(watching);
    const late = await cli.run(["live", threadId, "--json"]);
    for (const run of [...watched, late]) {
      expect(run.code).toBe(0);
      const lines = items(run);
      expect(accounted(lines)).toBe(true);
      expect(lines.filter(({ event }) => event?.text?.startsWith("word "))).toHaveLength(2_400);
    }
  });

  it("says which events are gone when there were more than are kept, and starts where it is told to", async () => {
    const threadId = await finished({ talk: 25_000 });
    const all = items(await cli.run(["live", threadId, "--json"]));
    expect(all[0]).toMatchObject({ type: "gap", threadId, from: 1 });
    expect(accounted(all)).toBe(true);
    const last = all.at(-1)?.seq ?? 0;
    expect(last).toBeGreaterThan(25_000);
    const people = await cli.run(["live", threadId]);
    expect(people.stdout).toMatch(/^events 1 to \d+ cannot be read any more\n/);
    const tail = items(await cli.run(["live", threadId, "--json", "--tail", "3"]));
    expect(tail.map(({ seq }) => seq)).toEqual([last - 2, last - 1, last]);
    const after = items(await cli.run(["live", threadId, "--json", "--after", `${last - 2}`]));
    expect(after.map(({ seq }) => seq)).toEqual([last - 1, last]);
    const ofRole = await cli.run(["live", threadId, "--json", "--tail", "2", "--role", "checker"]);
    expect(items(ofRole).map(({ type }) => type)).toEqual(["step_completed", "status"]);
    expect(await cli.fails(["live", "--tail", threadId])).toMatchObject({ exit: 2 });
    expect(await cli.fails(["live", threadId, "--tail", "--after", "1"])).toMatchObject({
      exit: 2,
    });
  }, 120_000);

  it("explains a fork without a runner: what it is, what was done in it, and how to continue", async () => {
    const threadId = await finished({ says: "the first words" });
    const fork = await cli.json(["thread", "fork", threadId, "--from-step", "1", "--idle"]);
    const { code, stdout } = await cli.run(["live", String(fork.threadId)]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${fork.threadId}  steps, 1 step, a fork of ${threadId}\n`);
    expect(stdout).toContain("the first words");
    expect(stdout).toContain(`continue with: uncaged-workflow thread resume ${fork.threadId}\n`);
    const json = items(await cli.run(["live", String(fork.threadId), "--json"]));
    expect(json).toEqual([expect.objectContaining({ seq: null, type: "status", status: "idle" })]);
  });

  it("ends with the thread's exit code", async () => {
    const failed = await cli.run(["live", await finished({ failAt: 1 })]);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^failed: AGENT_F/m) });
    const asks = await cli.run(["live", await finished({ suspendAt: 1 })]);
    expect(asks.code).toBe(7);
    expect(asks.stdout).toMatch(/^suspended: Go on after step 1\?\nanswer with: .* resume /m);
    const endless = await start(...plan({ gate: "never" }));
    await cli.json(["thread", "kill", endless]);
    expect((await cli.run(["live", endless])).code).toBe(130);
  });

  it("says that a runner was killed, while it watches and afterwards", async () => {
    const threadId = await start(...plan({ gate: "never" }));
    const watching = cli.run(["live", threadId]);
    const { threads } = await cli.json<{ threads: { threadId: string; pid: number }[] }>([
      "thread",
      "ps",
    ]);
    const pid = threads.find((thread) => thread.threadId === threadId)?.pid ?? 0;
    expect(pid).toBeGreaterThan(0);
    process.kill(pid, "SIGKILL");
    for (const { code, stdout } of [await watching, await cli.run(["live", threadId])]) {
      expect(code).toBe(1);
      expect(stdout).toContain("its runner disappeared without a message\n");
      expect(stdout).toContain(`continue with: uncaged-workflow thread resume ${threadId}\n`);
    }
  });

  it("is removed with its thread", async () => {
    const threadId = await finished({});
    const folder = join(cli.root, "logs", `${threadId}.live`);
    expect(existsSync(folder)).toBe(true);
    await cli.json(["thread", "rm", threadId]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("resume", () => {
  it("stays with the thread as run does: --wait to its end, --live with its output from now on", async () => {
    const waited = await finished({ steps: 2, suspendAt: 1 });
    const done = await cli.run(["thread", "resume", waited, "-p", "Yes", "--wait", "--json"]);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ threadId: waited, status: "completed" });
    const watched = await finished({ steps: 2, suspendAt: 1 });
    const live = await cli.run(["thread", "resume", watched, "-p", "The second one", "--live"]);
    expect(live.code).toBe(0);
    expect(live.stdout).toMatch(
      /^#2 worker \(ANSWER\)\n {2}a person said: The second one\nworking on step 2\n/,
    );
    expect(live.stdout.match(/^completed/gm)).toHaveLength(1);
    expect((await cli.run(["live", watched])).stdout).toContain("a person said: The second one");
    const again = await finished({ steps: 3, suspendAt: 1, failAt: 2 });
    expect((await cli.run(["thread", "resume", again, "-p", "Yes", "--wait"])).code).toBe(1);
  });
});

describe("an empty inbox", () => {
  it("says that there is no question", async () => {
    const empty = openCli();
    const { stdout } = await empty.run(["thread", "list", "--status", "suspended"]);
    expect(stdout).toBe("nothing waits for you: no thread has a question\n");
    expect(await empty.json(["thread", "list", "--status", "suspended"])).toEqual({ threads: [] });
    await empty.close();
  });
});
