import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LiveEvent, Usage } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withModelCosts } from "../models/with-model-costs.ts";
import {
  type SampleRoot,
  STEPS,
  sampleRoot,
  THREAD_ID,
} from "../provenance/sample-root.test.helper.ts";
import { loadChain } from "./chain.ts";
import { lostAttempts } from "./lost-attempts.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "lost-attempts-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const used = (inputTokens: number): Usage => ({
  ...{ inputTokens, outputTokens: 1, cachedInputTokens: 0, costUsd: 0.5 },
});
/** The last step of the sample was stored at 1,001. */
const at = (timestamp: number): { threadId: string; timestamp: number } => ({
  threadId: THREAD_ID,
  timestamp,
});
const started = (timestamp: number): LiveEvent => ({
  ...at(timestamp),
  ...{ type: "step_started", role: "tester", round: 3, condition: null, said: null },
});
const spent = (timestamp: number, tokens: number, role = "tester"): LiveEvent => ({
  ...at(timestamp),
  ...{ type: "agent", role, round: 3, event: { type: "usage", usage: used(tokens) } },
});
const talk = (timestamp: number): LiveEvent => ({
  ...at(timestamp),
  ...{ type: "agent", role: "tester", round: 3, event: { type: "text", text: "…" } },
});

type Thread = Awaited<ReturnType<typeof sampleRoot>>;

async function thread(
  events: (last: string) => readonly LiveEvent[],
): Promise<Thread & SampleRoot> {
  const made = await sampleRoot(root, [...STEPS]);
  const { states } = await loadChain(made.engine.cas, made.thread);
  const live = made.engine.live.writer({ threadId: THREAD_ID, fence: 1 });
  for (const event of events(states.at(-1)?.hash ?? "")) live.append(event);
  live.close();
  return made;
}

const completed = (timestamp: number, stateHash: string): LiveEvent => ({
  ...at(timestamp),
  ...{ type: "step_completed", role: "tester", round: 2, stateHash, meta: {} },
});

it("a thread that nobody has watched has lost nothing", async () => {
  const { engine, thread: fresh } = await thread(() => []);
  expect(await lostAttempts(engine, fresh)).toEqual({ begun: 0, spent: [] });
});

it("what was reported after the last step counts, by role, and nothing before it", async () => {
  const { engine, thread: killed } = await thread((last) => [
    started(900),
    spent(950, 7),
    completed(1_001, last),
    started(1_100),
    spent(1_200, 10),
    started(1_300),
    spent(1_400, 20),
    spent(1_400, 3, "coder"),
  ]);
  expect(await lostAttempts(engine, killed)).toEqual({
    begun: 2,
    spent: [
      { role: "tester", usage: { ...used(30), outputTokens: 2, costUsd: 1 } },
      { role: "coder", usage: used(3) },
    ],
  });
});

it("an attempt that reported nothing is counted all the same", async () => {
  const { engine, thread: killed } = await thread((last) => [
    completed(1_001, last),
    started(1_100),
  ]);
  expect(await lostAttempts(engine, killed)).toEqual({ begun: 1, spent: [] });
});

it("a step whose event is missing, as after a poke, is not counted twice", async () => {
  const { engine, thread: poked } = await thread(() => [
    ...[started(900), spent(1_000, 7), started(1_100), spent(1_200, 10)],
  ]);
  expect(await lostAttempts(engine, poked)).toEqual({
    begun: 1,
    spent: [{ role: "tester", usage: used(10) }],
  });
});

it("an attempt of many events is counted whole", async () => {
  const { engine, thread: killed } = await thread((last) => [
    completed(1_001, last),
    started(1_100),
    spent(1_150, 10),
    ...Array.from({ length: 5_000 }, () => talk(1_200)),
    spent(1_300, 1),
  ]);
  expect(await lostAttempts(engine, killed)).toMatchObject({
    begun: 1,
    spent: [{ usage: { inputTokens: 11 } }],
  });
});

it("the next record has it, once, and says so", () => {
  const run = {
    ...{ agent: { name: "a", version: "1" }, session: null, prompt: null, cwd: "/", evidence: [] },
    ...{ startedAt: 1, completedAt: 2, usage: used(5) },
  };
  const costs = {
    extraction: () => null,
    watching: () => null,
    lost: () => ({ begun: 2, spent: [{ role: "a", usage: used(10) }] }),
  };
  expect(withModelCosts(run, costs)).toMatchObject({
    usage: { inputTokens: 15, costUsd: 1 },
    notes: [
      "cut off before this run, without a step: 2 attempts; the usage includes what they reported",
    ],
  });
  expect(withModelCosts(null, costs)).toBeNull();
});
