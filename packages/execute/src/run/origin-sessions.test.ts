import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RoleOutput, StepScope, ThreadRecord } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadChain, roleStates } from "../chain/chain.ts";
import { type OwnedThread, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { engineRuntime } from "./engine-runtime.ts";
import { originSessions } from "./origin-sessions.ts";

let root = "";
let origin: OwnedThread;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "origin-"));
  origin = await ownedThread(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Runs the origin to its end, one step for each of these sessions. */
async function played(...sessions: string[]): Promise<void> {
  await origin.execute(async function* () {
    for (const session of sessions) {
      const output: RoleOutput = {
        role: "coder",
        meta: {},
        run: {
          ...{ agent: { name: "fake", version: "1" }, session, prompt: null, startedAt: 1 },
          ...{ completedAt: 2, usage: null, cwd: "/", evidence: [] },
        },
      };
      yield output;
    }
    return { returnCode: 0, summary: "done" };
  });
}

async function forkAt(step: number): Promise<ThreadRecord> {
  const thread = await origin.record();
  const hash = roleStates(await loadChain(origin.engine.cas, thread))[step - 1]?.hash ?? "";
  const forkedFrom = { threadId: thread.threadId, stateHash: hash };
  return { ...thread, threadId: "01KAJ2Z6PVX0000000000000ZZ", head: hash, forkedFrom };
}

/** What the fork's next step is told when its workflow asks to resume this session. */
async function entered(fork: ThreadRecord, previousSession: string): Promise<StepScope> {
  const { cas } = origin.engine;
  const request = { role: "coder", round: 9, route: null, location: null, previousSession };
  return engineRuntime({
    ...{
      cas,
      thread: fork,
      directive: null,
      replaced: null,
      traceparent: null,
      memberPlace: () => ({ cwd: "/", stand: async () => undefined }),
      storageRoot: "/root",
      unrecorded: [],
      resumes: null,
      rules: {},
      fence: 1,
      now: Date.now,
      homes: root,
      look: () => null,
      isolation: "none",
      readThread: () => Promise.reject(new Error("not used here")),
      tasksOf: () => {
        throw new Error("not used here");
      },
      commandsOf: () => {
        throw new Error("not used here");
      },
      checkFiles: async () => null,
      workers: () => undefined,
      scratch: () => null,
      isWorker: false,
      calls: null,
    },
    origin: originSessions(origin.engine, fork, await loadChain(cas, fork)),
    extract: () => () => Promise.reject(new Error("not used here")),
    signal: new AbortController().signal,
    emit: () => {},
    roleAgent: (step) => ({ agent: null, previousSession: step.previousSession }),
    agent: () => Promise.reject(new Error("not used here")),
    askPerson: async () => ({ allowed: false, reason: "" }),
    standBack: () => Promise.reject(new Error("not used here")),
    runChild: () => Promise.reject(new Error("not used here")),
  }).enter(request).step;
}

it("a fork is not told to go on in a session of the thread it was forked from", async () => {
  await played("s1", "s2");
  const step = await entered(await forkAt(2), "s1");
  expect(step.previousSession).toBeNull();
  expect(step.originSession?.id).toBe("s1");
});

it("its own sessions, and those of a thread that is not a fork, are continued", async () => {
  await played("s1", "s2");
  expect(await entered(await forkAt(1), "own")).toMatchObject({ previousSession: "own" });
  const step = await entered(await origin.record(), "s1");
  expect(step).toMatchObject({ previousSession: "s1" });
  expect(step.originSession).toBeUndefined();
});

it("a session may be copied while the other thread did not go on in it", async () => {
  await played("s1", "s2", "s2");
  const at = async (step: number, session: string): Promise<boolean | undefined> =>
    (await entered(await forkAt(step), session)).originSession?.isAsItWas();
  expect(await at(1, "s1")).toBe(true);
  expect(await at(2, "s2")).toBe(false);
  expect(await at(3, "s2")).toBe(true);
});

it("a fork whose first step was poked away still knows which sessions are not its own", async () => {
  await played("s1", "s2");
  const fork = { ...(await forkAt(1)), createdAt: Date.now() };
  const poked = { threadId: fork.threadId, stateHash: "replaced" };
  const step = await entered({ ...fork, forkedFrom: poked }, "s1");
  expect(step.previousSession).toBeNull();
  expect(await step.originSession?.isAsItWas()).toBe(false);
});
