import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  failure,
  type LiveEvent,
  leaseOf,
  type PersonWait,
  type RoleCall,
  type RoleGroup,
  type RoleOutput,
  WorkflowError,
  type WorkflowFn,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadChain } from "../chain/chain.ts";
import { type OwnedThread, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { verifyGroups } from "../verify/verify-groups.ts";

let root = "";
let owned: OwnedThread;
let begun: Promise<void>[] = [];
let gates: PromiseWithResolvers<RoleOutput>[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "group-people-"));
  owned = await ownedThread(root);
  await owned.engine.store.listen(["desk"]);
  begun = [];
  gates = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** An agent that finishes when its gate is opened. */
function agent(): RoleCall {
  const gate = Promise.withResolvers<RoleOutput>();
  const start = Promise.withResolvers<void>();
  gates.push(gate);
  begun.push(start.promise);
  return {
    role: "coder",
    run: async (runtime) => {
      start.resolve();
      const { signal } = runtime;
      signal.addEventListener("abort", () => gate.reject(signal.reason));
      return gate.promise;
    },
  };
}

const person = (role: "alice" | "bob"): RoleCall => ({ role, ask: `What do you say, ${role}?` });

function workflow(members: readonly RoleCall[], more: Partial<RoleGroup> = {}): WorkflowFn {
  return async function* () {
    yield { name: "review", ...more, members };
    return { returnCode: 0, summary: "done" };
  };
}

const finish = (n: number): void => gates[n]?.resolve({ role: "coder", meta: { n } });
const open = async (): Promise<PersonWait[]> =>
  (await owned.engine.store.asks({})).map(({ wait }) => wait);

/** Resolves once so many are asked. */
async function asked(count: number): Promise<PersonWait[]> {
  for (;;) {
    const waits = await open();
    if (waits.length >= count) return waits;
    await new Promise(setImmediate);
  }
}

async function answer(wait: PersonWait, meta: Record<string, string> = { say: "yes" }) {
  const { threadId, engine } = owned;
  const said = { meta, user: "somebody", at: wait.since };
  await engine.store.answerAsk({ threadId, fence: 0, wait, answer: said });
}

async function marks(): Promise<unknown[]> {
  const chain = await loadChain(owned.engine.cas, await owned.record());
  expect(verifyGroups(chain)).toEqual([]);
  return chain.states
    .map(({ node }) => node.payload)
    .filter(({ group }) => group !== undefined)
    .map(({ role, group, outcome, meta }) => [role, group?.index, outcome ?? meta]);
}

async function untilSteps(count: number): Promise<void> {
  while ((await owned.record()).stepCount < count) await new Promise((r) => setTimeout(r, 5));
}

it("asks people when the group begins, and stores their answers while agents run", async () => {
  const done = owned.execute(workflow([agent(), person("alice")]));
  const [alice] = await asked(1);
  await begun[0];
  expect(await owned.engine.store.notices({})).toMatchObject([{ event: "waits" }]);
  if (alice !== undefined) await answer(alice);
  await untilSteps(1);
  expect((await owned.record()).status).toBe("running");
  expect(await open()).toEqual([]);
  finish(0);
  expect(await done).toMatchObject({ status: "completed" });
  expect(await marks()).toEqual([
    ["alice", 1, { say: "yes" }],
    ["coder", 0, { n: 0 }],
  ]);
});

it("is suspended with the same question once only people are left", async () => {
  const done = owned.execute(workflow([person("alice"), agent()]));
  const waits = await asked(1);
  finish(0);
  expect(await done).toEqual({ status: "suspended" });
  expect(waitsOf(await owned.record())).toEqual(waits);
  expect(await open()).toEqual([]);
  expect(await owned.engine.store.notices({})).toHaveLength(1);
});

it("asks nobody twice and loses no answer, whenever its runner ends", async () => {
  const stop = new AbortController();
  const told: LiveEvent[] = [];
  const emit = (event: LiveEvent) => told.push(event);
  const members = [agent(), person("alice"), person("alice")];
  const first = owned.execute(workflow(members), { signal: stop.signal, emit });
  const [one, two] = await asked(2);
  await begun[0];
  if (one !== undefined) await answer(one, { say: "one" });
  await untilSteps(1);
  stop.abort("stop");
  expect(await first).toEqual({ status: "idle" });
  // The questions outlive the runner, and so does an answer that nobody has stored yet.
  expect(await open()).toEqual([two]);
  if (two !== undefined) await answer(two, { say: "two" });
  gates = [];
  const again = workflow([agent(), person("alice"), person("alice")]);
  const second = owned.execute(again, { emit });
  await untilSteps(2);
  finish(0);
  expect(await second).toMatchObject({ status: "completed" });
  expect(await marks()).toEqual([
    ["alice", 1, { say: "one" }],
    ["alice", 2, { say: "two" }],
    ["coder", 0, { n: 0 }],
  ]);
  const questions = told.filter(({ type }) => type === "asked");
  expect(questions).toMatchObject([{ group: { index: 1 } }, { group: { index: 2 } }]);
  expect(await owned.engine.store.notices({})).toHaveLength(3);
});

it("stores an answer that comes while the thread is being suspended", async () => {
  const { store } = owned.engine;
  const release = store.release.bind(store);
  owned.engine.store = {
    ...store,
    release: async (request) => {
      const [alice] = await open();
      if (alice !== undefined) await answer(alice);
      return release(request);
    },
  };
  expect(await owned.execute(workflow([person("alice")]))).toMatchObject({ status: "completed" });
  expect(await marks()).toEqual([["alice", 0, { say: "yes" }]]);
});

it("counts somebody who is late as failed while agents run, and takes no answer then", async () => {
  const done = owned.execute(workflow([agent(), person("bob")]));
  await untilSteps(1);
  const [bob] = await owned.engine.store.askedMembers({ threadId: owned.threadId });
  if (bob !== undefined) await expect(answer(bob.wait)).rejects.toThrow("no longer waits");
  finish(0);
  expect(await done).toMatchObject({ status: "completed" });
  expect(await marks()).toEqual([
    ["bob", 1, "timeout"],
    ["coder", 0, { n: 0 }],
  ]);
});

it("ends its agents when an answer lets it join", async () => {
  const done = owned.execute(workflow([agent(), person("alice")], { join: "any" }));
  const [alice] = await asked(1);
  await begun[0];
  if (alice !== undefined) await answer(alice);
  expect(await done).toMatchObject({ status: "completed" });
  expect(await marks()).toEqual([
    ["alice", 1, { say: "yes" }],
    ["coder", 0, "cancelled"],
  ]);
});

it("takes no answer once it has joined without, but one that was quicker", async () => {
  const { store } = owned.engine;
  const closeAsks = store.closeAsks.bind(store);
  const late: PersonWait[] = [];
  owned.engine.store = {
    ...store,
    closeAsks: async (request) => {
      const [quick, slow] = await open();
      if (quick !== undefined) await answer(quick);
      if (slow !== undefined) late.push(slow);
      await closeAsks(request);
    },
  };
  const members = [agent(), person("alice"), person("alice")];
  const done = owned.execute(workflow(members, { join: "any" }));
  await asked(2);
  finish(0);
  expect(await done).toMatchObject({ status: "completed" });
  expect(await marks()).toEqual([
    ["coder", 0, { n: 0 }],
    ["alice", 1, { say: "yes" }],
  ]);
  for (const wait of late) await expect(answer(wait)).rejects.toThrow("no longer waits");
  expect(late).toHaveLength(1);
});

it("withdraws its questions before it fails", async () => {
  const done = owned.execute(workflow([agent(), person("alice")]));
  await asked(1);
  gates[0]?.reject(new WorkflowError(failure("MAX_DEPTH", "too deep", "")));
  expect(await done).toMatchObject({ status: "failed" });
  expect(await open()).toEqual([]);
  expect(leaseOf(await owned.record())).toBeNull();
});
