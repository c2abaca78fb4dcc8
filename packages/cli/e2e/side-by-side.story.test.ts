/** Many threads at once in one storage root. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { rests, untilThreads } from "./until-thread.test.helper.ts";

const RUNNERS = 50;
const STARTERS_AT_ONCE = 8;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

describe("threads side by side", () => {
  it(`all ${RUNNERS} complete, each with all of its steps`, { timeout: 300_000 }, async () => {
    const waiting = Array.from({ length: RUNNERS }, (_unused, index) => index);
    const started: string[] = [];
    await Promise.all(
      Array.from({ length: STARTERS_AT_ONCE }, async () => {
        for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
          started.push(await start(index));
        }
      }),
    );
    expect(new Set(started).size).toBe(RUNNERS);
    const threads = await untilAllRest();
    expect(threads.map(({ status }) => status)).toEqual(Array(RUNNERS).fill("completed"));
    expect(threads.map(({ stepCount }) => stepCount)).toEqual(Array(RUNNERS).fill(11));
    expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true, problems: [] });
  });
});

async function start(index: number): Promise<string> {
  const folder = join(cli.dir, "work", String(index));
  mkdirSync(folder, { recursive: true });
  const prompt = JSON.stringify({ steps: 10, sleepMs: 300 });
  const { threadId } = await cli.json<{ threadId: string }>([
    ...["thread", "run", "steps", "--cwd", folder, "--prompt", prompt],
  ]);
  return threadId;
}

async function untilAllRest(): Promise<{ status: string; stepCount: number }[]> {
  await untilThreads(cli.root, (threads) => (threads.every(rests) ? true : null));
  const { threads } = await cli.json<{ threads: { status: string; stepCount: number }[] }>([
    ...["thread", "list"],
  ]);
  return threads;
}
