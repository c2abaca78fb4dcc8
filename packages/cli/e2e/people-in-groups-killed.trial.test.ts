/** Two people of a group answer while its runner is killed. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Cli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { heldThread, openGroupCli, place, type Shown } from "./people-group.test.helper.ts";
import { ownerOf, untilThread } from "./until-thread.test.helper.ts";

/** `npm run trials -- --long` asks for more. */
const KILLS = Math.ceil(Number(process.env.UNCAGED_TEST_KILLS ?? 6) / 3);
/** About as long as an answer and its step take. */
const ANSWER_MS = 1_500;

let cli: Cli;
beforeAll(async () => {
  cli = await openGroupCli();
});
afterAll(() => cli.close());

const answer = (threadId: string, member: number, word: string): ReturnType<Cli["run"]> =>
  cli.run(["--json", "answer", threadId, "--member", `${member}`, word]);
const show = (threadId: string): Promise<Shown> => cli.here(["show", threadId]);

it(`people in a group lose no answer and are asked once, when the runner is killed at ${KILLS} random instants while they answer`, {
  timeout: 60_000 + KILLS * 30_000,
}, async () => {
  for (let kills = 0; kills < KILLS; kills += 1) {
    const { threadId, cwd } = await heldThread(cli);
    const { waits } = await show(threadId);
    const runner = await ownerOf(cli.root, threadId);
    const answers = [answer(threadId, 1, "status=ok"), answer(threadId, 3, "status=bad")];
    await sleep(Math.random() * ANSWER_MS);
    await killHard(runner);
    expect((await Promise.all(answers)).map(({ code }) => code)).toEqual([0, 0]);
    rmSync(join(cwd, "hold"));
    // An answer after the kill has had the thread continued; then there is nothing to do.
    await cli.run(["resume", threadId]);
    await untilThread(cli.root, threadId, ({ status }) => status === "completed");
    const { steps } = await show(threadId);
    const people = steps.filter(({ role }) => role !== "reviewer");
    expect(people.toSorted((a, b) => place(a) - place(b))).toMatchObject([
      { role: "alice", meta: { status: "ok" }, run: { startedAt: waits[0]?.since } },
      { role: "bob", meta: { status: "bad" }, run: { startedAt: waits[1]?.since } },
    ]);
    expect(steps).toHaveLength(3);
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  }
});
