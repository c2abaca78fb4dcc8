import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok, type ThreadRecord, type WorkflowFn } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../storage/engine.ts";
import { ownedThread } from "../testing/leased-thread.test.helper.ts";
import { type BisectStep, bisectThread, type Verdict } from "./bisect-thread.ts";

const LENGTH = 64;
let root: string;
let engine: Engine;
let thread: ThreadRecord;
let states: string[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "bisect-"));
  const owned = await ownedThread(root);
  states = [];
  const workflow: WorkflowFn = async function* () {
    for (let n = 1; n <= LENGTH; n++) yield { role: "coder", meta: { n } };
    return { returnCode: 0, summary: "" };
  };
  await owned.execute(workflow, {
    emit: (event) => {
      if (event.type === "step_completed") states.push(event.stateHash);
    },
  });
  ({ engine } = owned);
  thread = await owned.record();
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The thread as it was after this many steps. */
function until(steps: number): ThreadRecord {
  return { ...thread, head: states[steps - 1] ?? thread.startHash, stepCount: steps };
}

async function search(
  threads: { good: ThreadRecord | null; bad: ThreadRecord },
  judge: (step: BisectStep) => Verdict,
): Promise<{ round: number; undecided: number[]; asked: number; candidates: number }> {
  const found = await bisectThread(engine, threads, async (step) => ok(judge(step)));
  if (!found.ok) throw new Error(found.error.message);
  const { firstBad, undecided, asked, candidates } = found.value;
  return {
    round: firstBad.round,
    undecided: undecided.map(({ round }) => round),
    asked,
    candidates,
  };
}

describe("the search for the step that went wrong", () => {
  it("finds it, whichever it is, in at most ⌈log2 n⌉ answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: LENGTH }).chain((length) =>
          fc.record({
            length: fc.constant(length),
            wrong: fc.integer({ min: 1, max: length }),
          }),
        ),
        async ({ length, wrong }) => {
          const bad = until(length);
          const found = await search({ good: null, bad }, ({ round }) =>
            round < wrong ? "good" : "bad",
          );
          expect(found.round).toBe(wrong);
          expect(found.undecided).toEqual([]);
          expect(found.asked).toBeLessThanOrEqual(Math.ceil(Math.log2(length)));
        },
      ),
    );
  });

  it("asks only about the steps that the good thread does not have", async () => {
    const asked: number[] = [];
    const found = await search({ good: until(40), bad: until(48) }, ({ round }) => {
      asked.push(round);
      return round < 45 ? "good" : "bad";
    });
    expect(found).toMatchObject({ round: 45, candidates: 8 });
    expect(Math.min(...asked)).toBeGreaterThan(40);
  });

  it("passes over steps that cannot be judged, and says which they are", async () => {
    const found = await search({ good: null, bad: until(16) }, ({ round }) =>
      round >= 6 && round <= 9 ? "skip" : round < 6 ? "good" : "bad",
    );
    expect(found).toMatchObject({ round: 10, undecided: [6, 7, 8, 9] });
  });

  it("shows each step as it is in the store", async () => {
    const seen: BisectStep[] = [];
    await search({ good: null, bad: until(2) }, (step) => {
      seen.push(step);
      return "good";
    });
    expect(seen).toEqual([
      {
        round: 1,
        role: "coder",
        meta: { n: 1 },
        stateHash: states[0],
        contentHash: expect.any(String),
        cwd: "/",
      },
    ]);
  });

  it.each([
    ["a thread without a step", null, 0, "has no step yet"],
    ["two threads of the same steps", 5, 5, "is also one of thread"],
    ["a bad thread that is the beginning of the good one", 7, 5, "is also one of thread"],
  ])("is refused for %s", async (_what, good, bad, message) => {
    const threads = { good: good === null ? null : until(good), bad: until(bad) };
    const refused = await bisectThread(engine, threads, async () => ok("good" as const));
    expect(refused).toMatchObject({ ok: false, error: { code: "USAGE" } });
    expect(refused.ok ? "" : refused.error.message).toContain(message);
  });
});
