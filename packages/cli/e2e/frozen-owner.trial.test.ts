/** A runner that was frozen for longer than its lease wakes up after another has taken its place. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOf } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { freeze } from "./freeze.test.helper.ts";
import { ownerOf, rests, untilThread } from "./until-thread.test.helper.ts";

type Listed = { threads: { threadId: string; pid: number; status: string; stale: boolean }[] };

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

it("cannot publish any more; the thread continues once, with the new owner", async () => {
  const prompt = JSON.stringify({ steps: 8, sleepMs: 700 });
  const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", "--prompt", prompt]);
  const frozen = await ownerOf(cli.root, threadId);
  await freeze(cli.root, frozen);
  expect(await cli.fails(["thread", "resume", threadId])).toMatchObject({
    exit: 6,
    code: "LEASE_HELD",
  });
  await untilThread(cli.root, threadId, (thread) => (leaseOf(thread)?.expiresAt ?? 0) < Date.now());
  expect(await running()).toMatchObject({ stale: true });

  await cli.json(["thread", "resume", threadId]);
  expect((await running()).pid).not.toBe(frozen);
  process.kill(frozen, "SIGCONT");
  while (await isAlive(frozen)) await sleep(50);

  await untilThread(cli.root, threadId, rests);
  const { steps } = await cli.json<{ steps: { meta: { step?: number } }[] }>([
    "thread",
    "show",
    threadId,
  ]);
  expect(steps.map(({ meta }) => meta.step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, undefined]);
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  expect(readFileSync(join(cli.root, "logs", `${threadId}.info.jsonl`), "utf8")).toContain(
    "LEASE_LOST",
  );
});

async function running(): Promise<Listed["threads"][number]> {
  const { threads } = await cli.json<Listed>(["thread", "ps"]);
  const [thread] = threads;
  if (thread === undefined) throw new Error("nobody runs it");
  return thread;
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    // A process that ended but has not been reaped yet is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
