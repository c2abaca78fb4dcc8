import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentCall,
  agentError,
  END,
  failure,
  type LiveEvent,
  type RoleCall,
  type RoleGroup,
  type RoleOutput,
  type StateNode,
  type Usage,
  WorkflowError,
  type WorkflowFn,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadChain } from "../chain/chain.ts";
import {
  type ExecuteOptions,
  type OwnedThread,
  ownedThread,
} from "../testing/leased-thread.test.helper.ts";
import { verifyGroups } from "../verify/verify-groups.ts";
import { ABORT_GRACE_MS } from "./next-turn.ts";

let root = "";
let owned: OwnedThread;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "run-group-"));
  owned = await ownedThread(root);
});
afterEach(() => void vi.useRealTimers());
afterEach(() => rm(root, { recursive: true, force: true }));

/** Members that finish when the test says so; each records that it ran. */
class Crew {
  readonly begun: number[] = [];
  readonly runtimes = new Map<number, WorkflowRuntime>();
  readonly #gates = new Map<number, PromiseWithResolvers<RoleOutput>>();
  #changed = Promise.withResolvers<void>();

  call(index: number, opts: Partial<AgentCall> & { ignoresEnd?: boolean } = {}): AgentCall {
    const { ignoresEnd = false, ...call } = opts;
    return {
      role: "coder",
      ...call,
      run: async (runtime) => {
        this.begun.push(index);
        this.runtimes.set(index, runtime);
        const gate = this.#gate(index);
        if (!ignoresEnd)
          runtime.signal.addEventListener("abort", () => gate.reject(runtime.signal.reason));
        this.#tell();
        return gate.promise;
      },
    };
  }

  calls(count: number): RoleCall[] {
    return Array.from({ length: count }, (_, index) => this.call(index));
  }

  finish(index: number, meta: Record<string, unknown> = { n: index }): void {
    this.#gate(index).resolve({ role: "coder", meta });
  }

  fail(index: number, thrown: unknown): void {
    this.#gate(index).reject(thrown);
  }

  /** Resolves once this many members have begun. */
  async untilBegun(count: number): Promise<void> {
    while (this.begun.length < count) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #gate(index: number): PromiseWithResolvers<RoleOutput> {
    const gate = this.#gates.get(index) ?? Promise.withResolvers<RoleOutput>();
    this.#gates.set(index, gate);
    return gate;
  }
}

/** Yields the group, then one step with what came back. */
function workflowWith(group: RoleGroup | readonly RoleCall[]): WorkflowFn {
  return async function* (ctx) {
    if (ctx.steps.length > 0) throw new Error("the members are not to be seen");
    const answer = yield group;
    const steps = Array.isArray(answer) ? answer : [];
    yield {
      role: "tester",
      meta: { saw: steps.map(({ meta, outcome = null }) => outcome ?? meta.n) },
    };
    return { returnCode: 0, summary: "done" };
  };
}

async function states(): Promise<StateNode["payload"][]> {
  const thread = await owned.record();
  const chain = await loadChain(owned.engine.cas, thread);
  expect(verifyGroups(chain)).toEqual([]);
  return chain.states.map(({ node }) => node.payload);
}

const marks = async () =>
  (await states()).map(({ role, group, outcome }) =>
    group ? [group.index, outcome ?? "ok"] : role,
  );
const saw = async () => (await states()).find(({ role }) => role === "tester")?.meta.saw;
const used: Usage = { inputTokens: 5, outputTokens: 1, cachedInputTokens: 0, costUsd: null };
const timeout = () => agentError("timeout", { message: "too slow", hint: "", run: null });
const start = (group: RoleGroup | readonly RoleCall[], opts: ExecuteOptions = {}) =>
  owned.execute(workflowWith(group), opts);

describe("a group", () => {
  it("appends members as they finish, and answers in declared order", async () => {
    const crew = new Crew();
    const done = start({ name: "reviews", atOnce: 3, members: crew.calls(3) });
    await crew.untilBegun(3);
    for (const index of [2, 0, 1]) crew.finish(index);
    expect(await done).toMatchObject({ status: "completed" });
    expect(await marks()).toEqual([[2, "ok"], [0, "ok"], [1, "ok"], "tester", END]);
    expect(await saw()).toEqual([0, 1, 2]);
    expect((await states())[0]?.group).toEqual({ name: "reviews", entry: 0, index: 2, of: 3 });
  });

  it("may be a bare list, and an empty one", async () => {
    const crew = new Crew();
    crew.finish(0);
    expect(await start([crew.call(0)])).toMatchObject({ status: "completed" });
    expect((await states())[0]?.group?.name).toBe("group");
    owned = await ownedThread(root);
    expect(await start([])).toMatchObject({ status: "completed" });
    expect(await saw()).toEqual([]);
  });

  it("runs no more members at once than it says, in declared order", async () => {
    const crew = new Crew();
    const done = start({ name: "g", atOnce: 2, members: crew.calls(4) });
    await crew.untilBegun(2);
    expect(crew.begun).toEqual([0, 1]);
    crew.finish(1);
    await crew.untilBegun(3);
    expect(crew.begun).toEqual([0, 1, 2]);
    for (const index of [0, 2, 3]) crew.finish(index);
    await done;
    expect(await saw()).toEqual([0, 1, 2, 3]);
  });

  it("gives each member its own scope", async () => {
    const crew = new Crew();
    const own = crew.call(0, { item: "a.ts", location: "sub" });
    const shared = crew.call(1, { previousSession: () => null });
    crew.finish(0);
    crew.finish(1);
    await start({ name: "g", members: [own, shared] });
    const [first, second] = [crew.runtimes.get(0)?.step, crew.runtimes.get(1)?.step];
    expect(first?.group).toEqual({
      ...{ name: "g", entry: 0, index: 0, of: 2 },
      item: "a.ts",
      session: "own",
    });
    expect(first).toMatchObject({ cwd: "/sub", home: "/nowhere/coder.0.0" });
    expect(first?.processTag).toBe(`${owned.threadId}:1:0.0`);
    expect(second).toMatchObject({ home: "/nowhere/coder", processTag: `${owned.threadId}:1:0.1` });
  });

  it("continues after a crash with the missing members only", async () => {
    const crew = new Crew();
    const broken = start({ name: "g", atOnce: 4, members: crew.calls(4) });
    await crew.untilBegun(4);
    crew.finish(2);
    crew.finish(0);
    await expect.poll(async () => (await owned.record()).stepCount).toBe(2);
    owned.breakCas(new WorkflowError(failure("STORAGE_FAILED", "power cut", "")));
    crew.finish(1);
    await expect(broken).rejects.toThrow("power cut");
    owned.breakCas(null);
    const after = new Crew();
    after.finish(1);
    after.finish(3);
    expect(await start({ name: "g", atOnce: 1, members: after.calls(4) })).toMatchObject({
      status: "completed",
    });
    expect(after.begun).toEqual([1, 3]);
    expect(await marks()).toEqual([[2, "ok"], [0, "ok"], [1, "ok"], [3, "ok"], "tester", END]);
    expect(await saw()).toEqual([0, 1, 2, 3]);
  });

  it("is not mixed with another group", async () => {
    const crew = new Crew();
    crew.finish(0);
    await start({ name: "g", members: crew.calls(3) }, { maxSteps: 1 });
    const outcome = await start({ name: "g", members: new Crew().calls(2) });
    expect(outcome).toMatchObject({
      status: "failed",
      summary: expect.stringContaining(
        "is in the group g of 3 members, and the workflow yielded g of 2",
      ),
    });
  });

  it("keeps faults as results, and fails with what is not the agent's fault", async () => {
    const crew = new Crew();
    crew.fail(0, timeout());
    crew.finish(1);
    await start({ name: "g", members: crew.calls(2) });
    expect(await saw()).toEqual(["timeout", 1]);
    owned = await ownedThread(root);
    const other = new Crew();
    other.fail(1, new WorkflowError(failure("MAX_DEPTH", "too deep", "")));
    expect(await start({ name: "g", atOnce: 2, members: other.calls(2) })).toMatchObject({
      status: "failed",
      summary: "MAX_DEPTH: too deep",
    });
    expect(other.runtimes.get(0)?.signal.aborted).toBe(true);
  });

  it("takes a result that breaks the role's rules for a failed member", async () => {
    const crew = new Crew();
    crew.finish(0);
    crew.finish(1, { n: 1 });
    const fault = failure("EVIDENCE_MISSING", "no tests ran", "");
    const held: ExecuteOptions["held"] = async ({ meta }) =>
      meta.n === 0 ? { fault, proved: null } : { fault: null, proved: null };
    await start({ name: "g", members: crew.calls(2) }, { held });
    expect(await saw()).toEqual(["invalid_output", 1]);
  });

  it("ends the others after the first success, and records what they used", async () => {
    const crew = new Crew();
    const done = start({ name: "g", join: "any", atOnce: 3, members: crew.calls(5) });
    await crew.untilBegun(3);
    crew.runtimes.get(0)?.emit({ type: "usage", usage: used });
    crew.runtimes.get(0)?.emit({ type: "usage", usage: used });
    crew.finish(1);
    await done;
    const all = await marks();
    expect(all[0]).toEqual([1, "ok"]);
    expect(all.slice(1, 3).toSorted()).toEqual([
      [0, "cancelled"],
      [2, "cancelled"],
    ]);
    expect(all.slice(3)).toEqual(["tester", END]);
    expect(crew.begun).toEqual([0, 1, 2]);
    const ended = (await states()).find(({ group }) => group?.index === 0);
    expect(ended).toMatchObject({
      meta: { reason: "g has joined without it" },
      usage: { inputTokens: 10 },
    });
  });

  it("joins after so many successes", async () => {
    const crew = new Crew();
    const done = start({ name: "g", join: { atLeast: 2 }, atOnce: 1, members: crew.calls(4) });
    crew.fail(0, timeout());
    crew.finish(1);
    crew.finish(2);
    await done;
    expect(await saw()).toEqual(["timeout", 1, 2]);
  });

  it("stops at the first failure when it says so", async () => {
    const crew = new Crew();
    const done = start({ name: "g", onFault: "stop", atOnce: 2, members: crew.calls(3) });
    await crew.untilBegun(2);
    crew.fail(1, timeout());
    await done;
    expect(await saw()).toEqual(["cancelled", "timeout"]);
  });

  it("does not wait forever for a member that does not end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const crew = new Crew();
    const deaf = crew.call(0, { ignoresEnd: true });
    const done = start({ name: "g", join: "any", atOnce: 2, members: [deaf, crew.call(1)] });
    await crew.untilBegun(2);
    const told = once(crew.runtimes.get(0)?.signal ?? new AbortController().signal, "abort");
    crew.finish(1);
    await told;
    vi.advanceTimersByTime(ABORT_GRACE_MS);
    await done;
    expect(await saw()).toEqual(["cancelled", 1]);
  });

  it("is asked before each member whether it may start, and told of each that is stored", async () => {
    const crew = new Crew();
    for (const index of [0, 1, 2, 3]) crew.finish(index);
    const stored: unknown[] = [];
    const mayStart = (_call: RoleCall, underWay: readonly RoleCall[]): boolean =>
      stored.length + underWay.length < 3;
    const watch = { mayStart, stored: ({ meta }: { meta: object }) => stored.push(meta) };
    await start({ name: "g", atOnce: 2, members: crew.calls(4), watch });
    expect(stored).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    expect(await saw()).toEqual([0, 1, 2]);
  });

  it("makes no more steps than it may, and waits for those under way when the gate is closed", async () => {
    const crew = new Crew();
    crew.finish(0);
    const group = (): RoleGroup => ({ name: "g", atOnce: 2, members: crew.calls(4) });
    expect(await start(group(), { maxSteps: 1 })).toEqual({ status: "idle" });
    expect(crew.begun).toEqual([0]);
    const paused = start(group());
    await crew.untilBegun(3);
    await owned.engine.store.signal(owned.threadId, "pause", 0);
    crew.finish(2);
    await expect.poll(async () => (await owned.record()).stepCount).toBe(2);
    expect(crew.begun).toEqual([0, 1, 2]);
    crew.finish(1);
    expect(await paused).toEqual({ status: "paused" });
    expect(await owned.record()).toMatchObject({ status: "paused", stepCount: 3 });
  });

  it("is stopped with the thread, and keeps what had finished", async () => {
    const crew = new Crew();
    const abort = new AbortController();
    const done = start({ name: "g", atOnce: 2, members: crew.calls(3) }, { signal: abort.signal });
    await crew.untilBegun(2);
    crew.finish(1);
    await crew.untilBegun(3);
    abort.abort("stop");
    expect(await done).toEqual({ status: "idle" });
    expect(await marks()).toEqual([[1, "ok"]]);
  });

  it("says of every live event which member it is of", async () => {
    const crew = new Crew();
    const events: LiveEvent[] = [];
    crew.finish(0);
    await start([crew.call(0)], { emit: (event) => events.push(event) });
    const told = events.flatMap((event) =>
      "group" in event ? [[event.type, event.group?.index]] : [],
    );
    expect(told).toEqual([
      ["step_started", 0],
      ["step_completed", 0],
    ]);
  });

  it.each([
    [
      "a role that the descriptor does not have",
      [{ role: "nobody", run: async () => ({}) }],
      "no role nobody",
    ],
    ["a member that is no function", [{ role: "coder" }], "has no function `run`"],
    ["too many members", Array.from({ length: 1_001 }, () => new Crew().call(0)), "1001 members"],
    ["a name that is none", { name: "not a name", members: [] }, "name"],
  ])("is refused for %s", async (_what, group, why) => {
    const outcome = await start(group as RoleGroup);
    expect(outcome).toMatchObject({ status: "failed", summary: expect.stringContaining(why) });
  });
});
