import assert from "node:assert/strict";
import {
  type Dispatch,
  failureFrom,
  type Lease,
  type NewThread,
  NO_LIMITS,
  type RootLimits,
  type Spent,
  type ThreadStore,
  type Workers,
} from "@uncaged/workflow-protocol";
import { refuses } from "./refuses.ts";
import {
  known,
  sampleId,
  sampleMove,
  sampleProcess,
  sampleThread,
  suspendedThread,
} from "./sample-threads.ts";

/** Both belong to the same storage root. */
export type DispatchHarness = { threads: ThreadStore; dispatch: Dispatch; workers: Workers };

/** One promise of the port. `run` rejects when the backend breaks it. */
export type DispatchCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh, empty backend each time. */
  run(harness: DispatchHarness): Promise<void>;
};

const TTL_MS = 1_000;
const MINUTE_MS = 60_000;
/** 2026-11-22, noon in Zurich. */
const NOON_MS = Date.UTC(2026, 10, 22, 11);
const HOUR_MS = 60 * MINUTE_MS;

export const queueCases: readonly DispatchCase[] = [
  {
    name: "takes no more leases with room than the limit says, and one more after each end",
    async run(harness) {
      const { threads, dispatch } = harness;
      await dispatch.limit({ ...NO_LIMITS, threads: 2 });
      await made(threads, [1, 2, 3, 4]);
      const first = await take(threads, 1);
      await take(threads, 2);
      await refuses(take(threads, 3), "LIMIT_REACHED", sampleId(3), "threads");
      assert.equal((await known(threads, sampleId(3))).status, "idle");
      await threads.release({ ...first, nowMs: 1, to: { status: "idle" } });
      const third = await take(threads, 3);
      await threads.finish({ ...sampleMove(third, 1), ...ENDED });
      await take(threads, 4);
    },
  },
  {
    name: "queues a thread that finds no room, with what it waits for, in the same step",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1, workflows: { "solve-issue": 1 } });
      await made(threads, [1, 2]);
      await take(threads, 1);
      await refuses(take(threads, 2, { room: "or queue", nowMs: 7 }), "LIMIT_REACHED");
      const thread = await known(threads, sampleId(2));
      assert.equal(thread.status, "queued");
      assert.deepEqual(thread.status === "queued" && thread.queue, {
        since: 7,
        for: ["threads", "workflow:solve-issue"],
        notBefore: null,
      });
      await refuses(take(threads, 2, { room: "or queue", nowMs: 9 }), "LIMIT_REACHED");
      const [queued] = await dispatch.list();
      assert.equal(queued?.queue.since, 7, "it keeps its place");
    },
  },
  {
    name: "does not count a lease that was taken for a moment, and lets it pass",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await made(threads, [1, 2, 3]);
      await take(threads, 1, { room: undefined });
      await take(threads, 2);
      await take(threads, 3, { room: undefined });
    },
  },
  {
    name: "forgets the room of an owner whose lease ran out, and of one that is replaced",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await made(threads, [1, 2]);
      const dead = await take(threads, 1);
      await refuses(take(threads, 2, { nowMs: TTL_MS - 1 }), "LIMIT_REACHED");
      await take(threads, 1, { replaces: dead.fence, nowMs: 10 });
      await refuses(take(threads, 2, { nowMs: TTL_MS + 9 }), "LIMIT_REACHED");
      await take(threads, 2, { nowMs: TTL_MS + 10 });
    },
  },
  {
    name: "lets a thread that was told to end do so where there is no room",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await made(threads, [1, 2]);
      await take(threads, 1);
      await refuses(take(threads, 2, { room: "or queue" }), "LIMIT_REACHED");
      await threads.signal(sampleId(2), "kill", 1);
      await take(threads, 2, { room: "or queue" });
    },
  },
  {
    name: "limits a workflow beside the others",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, workflows: { review: 1 } });
      await made(threads, [1, 2], { workflow: "review" });
      await made(threads, [3, 4]);
      await take(threads, 1);
      await take(threads, 3);
      await refuses(take(threads, 2), "LIMIT_REACHED", "workflow review");
      await take(threads, 4);
    },
  },
  {
    name: "obeys a limit that was raised or lowered from the next start on",
    async run({ threads, dispatch }) {
      await made(threads, [1, 2, 3]);
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await take(threads, 1);
      await refuses(take(threads, 2), "LIMIT_REACHED");
      await dispatch.limit({ ...NO_LIMITS, threads: 2 });
      await take(threads, 2);
      await dispatch.limit({ ...NO_LIMITS, threads: 0 });
      assert.equal((await known(threads, sampleId(1))).status, "running");
      await refuses(take(threads, 3), "LIMIT_REACHED");
      await dispatch.limit(NO_LIMITS);
      await take(threads, 3);
      assert.deepEqual(await dispatch.limits(), NO_LIMITS);
    },
  },
  {
    name: "lists the queue by priority, then children, then age",
    async run({ threads, dispatch }) {
      const queue = { notBefore: null };
      await threads.create(sampleThread(1, { queue }), null);
      await threads.create(sampleThread(2, { queue }), null);
      await threads.create(sampleThread(3, { queue, depth: 1 }), null);
      await threads.create(sampleThread(4, { queue, priority: 5 }), null);
      await threads.create(sampleThread(5, { queue, priority: -1 }), null);
      const order = [4, 3, 1, 2, 5].map(sampleId);
      assert.deepEqual(
        (await dispatch.list()).map(({ threadId }) => threadId),
        order,
      );
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 1 }), order);
      await dispatch.limit({ ...NO_LIMITS, threads: 2 });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 1 }), order.slice(0, 2));
    },
  },
  {
    name: "starts nobody early, and nobody beside those that are on their way",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 2 });
      await threads.create(sampleThread(1, { queue: { notBefore: 100 } }), null);
      await threads.create(sampleThread(2, { queue: { notBefore: null } }), null);
      await threads.create(sampleThread(3, { queue: { notBefore: null } }), null);
      const next = (nowMs: number, ...besides: number[]): Promise<string[]> =>
        dispatch.next({ nowMs, besides: besides.map(sampleId) });
      assert.deepEqual(await next(99), [2, 3].map(sampleId));
      assert.deepEqual(await next(100), [1, 2].map(sampleId));
      assert.deepEqual(await next(100, 1), [sampleId(2)]);
      assert.deepEqual(await next(100, 1, 2), []);
      await take(threads, 1, { nowMs: 100 });
      assert.deepEqual(await next(100, 1), [sampleId(2)], "one that has begun counts once");
    },
  },
  {
    name: "queues what nobody runs, and takes it out again",
    async run({ threads, dispatch }) {
      await made(threads, [1, 2]);
      const want = { replaces: null, for: [], notBefore: null };
      await dispatch.want({ ...want, threadId: sampleId(1), nowMs: 5 });
      await dispatch.limit({ ...NO_LIMITS, threads: 0 });
      await dispatch.want({ ...want, for: null, threadId: sampleId(1), notBefore: 9, nowMs: 6 });
      await dispatch.limit(NO_LIMITS);
      const [thread] = await dispatch.list();
      assert.deepEqual(thread?.queue, { since: 5, for: ["threads"], notBefore: 9 });
      await dispatch.unwant(sampleId(1), 7);
      assert.equal((await known(threads, sampleId(1))).status, "idle");
      await dispatch.unwant(sampleId(2), 7);
      assert.equal((await known(threads, sampleId(2))).updatedAt, sampleThread(2).createdAt);
      const lease = await take(threads, 2);
      await refuses(dispatch.want({ ...want, threadId: sampleId(2), nowMs: 8 }), "LEASE_HELD");
      await dispatch.want({ ...want, threadId: sampleId(2), replaces: lease.fence, nowMs: 8 });
      assert.equal((await known(threads, sampleId(2))).status, "queued");
      await refuses(threads.advance(sampleMove(lease, 1)), "LEASE_LOST");
      await refuses(
        dispatch.want({ ...want, threadId: sampleId(3), nowMs: 8 }),
        "THREAD_NOT_FOUND",
      );
    },
  },
  {
    name: "leaves a thread that waits for a person alone",
    async run({ threads, dispatch }) {
      const { threadId } = await suspendedThread(threads, 1);
      const want = { threadId, replaces: null, for: [], notBefore: null, nowMs: 5 };
      await refuses(dispatch.want(want), "TRANSITION_INVALID", threadId);
      await dispatch.limit({ ...NO_LIMITS, threads: 0 });
      await refuses(take(threads, 1, { room: "or queue" }), "LIMIT_REACHED");
      assert.equal((await known(threads, threadId)).status, "suspended");
    },
  },
  {
    name: "lets an owner queue its thread, which keeps its room no longer",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await made(threads, [1, 2]);
      const lease = await take(threads, 1);
      const queue = { since: 4, for: ["agent:claude"], notBefore: 11 } as const;
      await threads.release({ ...lease, nowMs: 5, to: { status: "queued", queue } });
      const thread = await known(threads, sampleId(1));
      assert.deepEqual(thread.status === "queued" && thread.queue, queue);
      await take(threads, 2);
    },
  },
  {
    name: "starts nothing while the queue is closed, but lets go on what runs",
    async run({ threads, dispatch }) {
      await made(threads, [1, 2]);
      const running = await take(threads, 1);
      await dispatch.pause(3);
      await dispatch.pause(4);
      assert.equal(await dispatch.pausedSince(), 3);
      await refuses(take(threads, 2, { room: "or queue" }), "LIMIT_REACHED", "resumed");
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 5 }), []);
      await take(threads, 1, { replaces: running.fence, nowMs: 5 });
      await dispatch.resume();
      assert.equal(await dispatch.pausedSince(), null);
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 5 }), [sampleId(2)]);
    },
  },
  {
    name: "lends the room of a thread that only waits, and gives it back before anybody else begins",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1 });
      await made(threads, [1, 2, 3]);
      const parent = await take(threads, 1);
      await dispatch.lend(parent);
      const child = await take(threads, 2);
      assert.equal(await dispatch.takeBack({ ...parent, nowMs: 1 }), false);
      await refuses(take(threads, 3), "LIMIT_REACHED");
      await threads.release({ ...child, nowMs: 2, to: { status: "idle" } });
      await refuses(take(threads, 3), "LIMIT_REACHED");
      assert.equal(await dispatch.takeBack({ ...parent, nowMs: 3 }), true);
      await refuses(take(threads, 3), "LIMIT_REACHED");
      await refuses(dispatch.lend({ ...parent, fence: parent.fence + 1 }), "LEASE_LOST");
      await threads.release({ ...parent, nowMs: 4, to: { status: "idle" } });
      await take(threads, 3);
    },
  },
  {
    name: "wants the room back that was lent for an agent, once that has run",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 1, agents: { claude: 1 } });
      await made(threads, [1, 2, 3]);
      const one = await take(threads, 1);
      const run = { ...one, part: "1" };
      await dispatch.take({ ...run, agent: "claude", nowMs: 1 });
      await dispatch.lend(one);
      const other = await take(threads, 2);
      await dispatch.free({ ...run, fence: one.fence + 1 });
      await dispatch.free(run);
      await threads.release({ ...other, nowMs: 2, to: { status: "idle" } });
      await refuses(take(threads, 3), "LIMIT_REACHED");
      assert.equal(await dispatch.takeBack({ ...one, nowMs: 3 }), true);
    },
  },
  {
    name: "lets an agent run as often at once as its limit says, whatever thread it is for",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, agents: { claude: 2 } });
      await made(threads, [1, 2]);
      const [one, two] = [await take(threads, 1), await take(threads, 2)];
      const claude = { agent: "claude", nowMs: 1 };
      assert.deepEqual(await dispatch.take({ ...one, ...claude, part: "1" }), { ok: true });
      assert.deepEqual(await dispatch.take({ ...one, ...claude, part: "2" }), { ok: true });
      const full = { ok: false, full: ["agent:claude"], againAt: null };
      assert.deepEqual(await dispatch.take({ ...two, ...claude, part: "1" }), full);
      assert.deepEqual(await dispatch.take({ ...two, ...claude, agent: "codex", part: "1" }), {
        ok: true,
      });
      await dispatch.free({ ...one, part: "2" });
      assert.deepEqual(await dispatch.take({ ...two, ...claude, part: "1" }), { ok: true });
      await refuses(
        dispatch.take({ ...two, ...claude, fence: two.fence + 1, part: "9" }),
        "LEASE_LOST",
      );
    },
  },
  {
    name: "forgets what an agent ran for with the lease that it ran under",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, agents: { claude: 1 } });
      await made(threads, [1, 2, 3]);
      const claude = { agent: "claude", part: "1" };
      const one = await take(threads, 1);
      await dispatch.take({ ...one, ...claude, nowMs: 0 });
      const two = await take(threads, 2, { nowMs: 900 });
      assert.equal((await dispatch.take({ ...two, ...claude, nowMs: 999 })).ok, false);
      assert.equal((await dispatch.take({ ...two, ...claude, nowMs: 1_000 })).ok, true);
      const again = await take(threads, 2, { nowMs: 1_001, replaces: two.fence });
      assert.equal((await dispatch.take({ ...again, ...claude, nowMs: 1_002 })).ok, true);
      await threads.release({ ...again, nowMs: 1_003, to: { status: "idle" } });
      const three = await take(threads, 3, { nowMs: 1_004 });
      assert.equal((await dispatch.take({ ...three, ...claude, nowMs: 1_005 })).ok, true);
    },
  },
  {
    name: "takes room under the agent's limit and its provider's together, or none",
    async run({ threads, dispatch }) {
      await dispatch.limit({
        ...NO_LIMITS,
        agents: { claude: 1 },
        providers: { anthropic: { ...UNBOUND, requestsPerMinute: 1, agents: ["claude", "opus"] } },
      });
      await made(threads, [1, 2]);
      const [one, two] = [await take(threads, 1), await take(threads, 2)];
      assert.equal((await dispatch.take({ ...one, agent: "opus", part: "1", nowMs: 1 })).ok, true);
      const refused = await dispatch.take({ ...one, agent: "claude", part: "2", nowMs: 2 });
      assert.deepEqual(!refused.ok && refused.full, ["provider:anthropic"]);
      const againAt = (!refused.ok && refused.againAt) || 0;
      assert.ok(againAt > MINUTE_MS && againAt <= MINUTE_MS + 5_000, `${againAt}`);
      const later = { agent: "claude", nowMs: againAt };
      await threads.renew({ leases: [two], nowMs: againAt, ttlMs: TTL_MS });
      assert.equal((await dispatch.take({ ...two, ...later, part: "1" })).ok, true);
    },
  },
  {
    name: "waits until the tokens of the last minute are below a provider's limit",
    async run({ threads, dispatch }) {
      const agents = ["claude"];
      await dispatch.limit({
        ...NO_LIMITS,
        providers: { anthropic: { ...UNBOUND, tokensPerMinute: 100, agents } },
      });
      await made(threads, [1]);
      const one = await take(threads, 1);
      const claude = { agent: "claude", part: "1" };
      await threads.advance({ ...sampleMove(one, 1), spent: spent("codex", 500), nowMs: 10_000 });
      assert.equal((await dispatch.take({ ...one, ...claude, nowMs: 10_000 })).ok, true);
      await threads.advance({ ...sampleMove(one, 2), spent: spent("claude", 60), nowMs: 10_000 });
      assert.equal((await dispatch.take({ ...one, ...claude, nowMs: 10_000 })).ok, true);
      await threads.advance({ ...sampleMove(one, 3), spent: spent("claude", 60), nowMs: 30_000 });
      assert.deepEqual(await dispatch.take({ ...one, ...claude, nowMs: 30_000 }), {
        ok: false,
        full: ["provider:anthropic"],
        againAt: 75_000,
      });
      assert.equal((await dispatch.take({ ...one, ...claude, nowMs: 75_000 })).ok, true);
    },
  },
  {
    name: "keeps every agent of a held provider from running until then, and starts nobody who waits for it",
    async run({ threads, dispatch }) {
      await made(threads, [1, 2, 3]);
      const [one, two] = [await take(threads, 1), await take(threads, 2)];
      const key = "provider:anthropic";
      const anthropic = { key, agents: ["claude", "opus"] } as const;
      assert.deepEqual(await dispatch.holds(0), []);
      await dispatch.hold({ ...anthropic, untilMs: 500, nowMs: 0 });
      await dispatch.hold({ ...anthropic, untilMs: 400, nowMs: 1 });
      assert.deepEqual(await dispatch.holds(2), [{ ...anthropic, untilMs: 500 }]);
      const held = { ok: false, full: [key], againAt: null };
      const part = { part: "1", nowMs: 499 };
      assert.deepEqual(await dispatch.take({ ...one, ...part, agent: "claude" }), held);
      assert.deepEqual(await dispatch.take({ ...two, ...part, agent: "opus" }), held);
      assert.deepEqual(await dispatch.take({ ...two, ...part, agent: "codex" }), { ok: true });
      const want = { threadId: sampleId(3), replaces: null, notBefore: null, nowMs: 3 };
      await dispatch.want({ ...want, for: [key] });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 499 }), []);
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 500 }), [sampleId(3)]);
      const later = { ...one, part: "2", agent: "claude", nowMs: 500 };
      assert.deepEqual(await dispatch.take(later), { ok: true });
      assert.deepEqual(await dispatch.holds(500), []);
    },
  },
  {
    name: "holds a provider beside its other limits, and ends holds when the queue is opened",
    async run({ threads, dispatch }) {
      const agents = ["claude"];
      await dispatch.limit({
        ...NO_LIMITS,
        agents: { claude: 1 },
        providers: { anthropic: { ...UNBOUND, requestsPerMinute: 9, agents } },
      });
      await made(threads, [1]);
      const one = await take(threads, 1);
      const key = "provider:anthropic";
      await dispatch.hold({ key, agents, untilMs: 90_000, nowMs: 0 });
      await dispatch.hold({ key: "agent:claude", agents, untilMs: 70_000, nowMs: 0 });
      const claude = { ...one, agent: "claude", part: "1", nowMs: 5 };
      const full = [key, "agent:claude"];
      const refused = await dispatch.take(claude);
      assert.deepEqual(!refused.ok && refused.full.toSorted(), full.toSorted());
      await dispatch.resume();
      assert.deepEqual(await dispatch.holds(6), []);
      assert.deepEqual(await dispatch.take(claude), { ok: true });
    },
  },
  {
    name: "gives the agent's room first to those of the queue that waited for it",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, agents: { claude: 1 } });
      await made(threads, [1, 2, 3]);
      for (const n of [2, 3])
        await dispatch.want({
          ...{ threadId: sampleId(n), replaces: null, notBefore: null, nowMs: 0 },
          for: ["agent:claude"],
        });
      const one = await take(threads, 1);
      await dispatch.take({ ...one, agent: "claude", part: "1", nowMs: 1 });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 2 }), []);
      await dispatch.free({ ...one, part: "1" });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 3 }), [sampleId(2)]);
      const two = await take(threads, 2, { nowMs: 3 });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 4 }), [], "it is about to run it");
      await dispatch.take({ ...two, agent: "claude", part: "1", nowMs: 4 });
      await dispatch.free({ ...two, part: "1" });
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: 5 }), [sampleId(3)]);
    },
  },
  {
    name: "keeps a budget from midnight to midnight of its zone",
    async run({ threads, dispatch }) {
      const zone = "Europe/Zurich";
      await dispatch.limit({
        ...NO_LIMITS,
        budgetPerDay: { tokens: 1_000, costUsd: null, zone },
      });
      await made(threads, [1, 2]);
      const midnight = NOON_MS + 12 * HOUR_MS;
      const one = await take(threads, 1, { nowMs: NOON_MS });
      const yesterday = NOON_MS - 12 * HOUR_MS - 1;
      await threads.advance({ ...sampleMove(one, 1), spent: spent("a", 5_000), nowMs: yesterday });
      assert.deepEqual(await dispatch.budget(NOON_MS), { ok: true });
      await threads.advance({ ...sampleMove(one, 2), spent: spent("a", 999), nowMs: NOON_MS });
      assert.deepEqual(await dispatch.budget(NOON_MS), { ok: true });
      await threads.advance({ ...sampleMove(one, 3), spent: spent("b", 1), nowMs: NOON_MS });
      const reached = { ok: false, full: ["budget"], againAt: midnight };
      assert.deepEqual(await dispatch.budget(NOON_MS), reached);
      await refuses(take(threads, 2, { room: "or queue", nowMs: NOON_MS }), "LIMIT_REACHED");
      assert.deepEqual((await dispatch.list())[0]?.queue.notBefore, midnight);
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: midnight - 1 }), []);
      assert.deepEqual(await dispatch.next({ besides: [], nowMs: midnight }), [sampleId(2)]);
      await take(threads, 2, { nowMs: midnight });
    },
  },
  {
    name: "counts dollars, and what a removed thread spent",
    async run({ threads, dispatch }) {
      const budgetPerDay = { tokens: null, costUsd: 1, zone: "UTC" };
      await dispatch.limit({ ...NO_LIMITS, budgetPerDay });
      await made(threads, [1]);
      const one = await take(threads, 1, { nowMs: NOON_MS });
      const half = { ...spent("a", 1), usage: { ...spent("a", 1).usage, costUsd: 0.5 } };
      await threads.advance({ ...sampleMove(one, 1), spent: half, nowMs: NOON_MS });
      assert.equal((await dispatch.budget(NOON_MS)).ok, true);
      await threads.finish({ ...sampleMove(one, 2), ...ENDED, spent: half, nowMs: NOON_MS });
      await threads.remove({ threadId: one.threadId, replaces: null, nowMs: NOON_MS });
      assert.equal((await dispatch.budget(NOON_MS)).ok, false);
    },
  },
  {
    name: "lets calls of workers run side by side only as far as all may use what is left",
    async run({ threads, dispatch }) {
      const [lead, one, two, three] = await coordinated(threads, 3);
      await share(dispatch, lead, 100);
      assert.deepEqual(await begin(dispatch, one), { ok: true });
      // Nobody knows yet what a call uses.
      assert.deepEqual(await begin(dispatch, two), WAIT);
      await ended(threads, dispatch, one, { step: 1, tokens: 20 });
      assert.deepEqual(await begin(dispatch, two), { ok: true });
      assert.deepEqual(await begin(dispatch, one), { ok: true });
      // Two are taken to use 40 each, which is all that is left.
      assert.deepEqual(await begin(dispatch, three), WAIT);
      await ended(threads, dispatch, two, { step: 1, tokens: 10 });
      assert.deepEqual(await begin(dispatch, three), { ok: true });
      await dispatch.noteCall({ ...one, part: "", used: { tokens: 25, costUsd: 0 } });
      // 70 left; one may use 65, three 40.
      assert.deepEqual(await begin(dispatch, two), WAIT);
      await ended(threads, dispatch, one, { step: 2, tokens: 60 });
      await ended(threads, dispatch, three, { step: 1, tokens: 12 });
      assert.deepEqual(await begin(dispatch, two), {
        ok: false,
        spent: { bound: "tokens", limit: 100, used: 102 },
      });
      assert.deepEqual(await share(dispatch, lead, 200), { tokens: 102, costUsd: 0 });
      assert.deepEqual(await begin(dispatch, two), { ok: true });
    },
  },
  {
    name: "gives a call back with the lease of its worker, but not what it had used",
    async run({ threads, dispatch }) {
      const [lead, one, two] = await coordinated(threads, 2);
      await share(dispatch, lead, 100);
      await begin(dispatch, one);
      await dispatch.noteCall({ ...one, part: "", used: { tokens: 99, costUsd: 0 } });
      assert.deepEqual(await begin(dispatch, two, { nowMs: TTL_MS - 1 }), WAIT);
      await threads.renew({ leases: [two], ttlMs: 9 * TTL_MS, nowMs: TTL_MS - 1 });
      assert.deepEqual(await begin(dispatch, two, { nowMs: TTL_MS }), { ok: true });
      assert.deepEqual(await begin(dispatch, two, { nowMs: TTL_MS }), { ok: true }, "again");
      const anew = await threads.acquire({
        ...{ threadId: one.threadId, process: sampleProcess(9), ttlMs: TTL_MS, nowMs: TTL_MS },
        replaces: one.fence,
      });
      await dispatch.endCall({ ...two, part: "", used: { tokens: 0, costUsd: 0 } });
      const used = { tokens: 100, costUsd: 0 };
      assert.deepEqual(await begin(dispatch, anew, { nowMs: TTL_MS, used }), {
        ok: false,
        spent: { bound: "tokens", limit: 100, used: 100 },
      });
      await refuses(begin(dispatch, one), "LEASE_LOST");
    },
  },
  {
    name: "shares nothing once the step is over, and counts nothing of before it",
    async run({ threads, dispatch }) {
      const [lead, one] = await coordinated(threads, 2);
      await ended(threads, dispatch, one, { step: 1, tokens: 50 });
      await share(dispatch, lead, 10);
      assert.deepEqual(await begin(dispatch, one), { ok: true });
      await ended(threads, dispatch, one, { step: 2, tokens: 10 });
      assert.equal((await begin(dispatch, one)).ok, false);
      await threads.advance(sampleMove(lead, 1));
      assert.deepEqual(await begin(dispatch, one), { ok: true });
      const besides = { step: 1, budget: { tokens: 10, costUsd: null }, workers: [one.threadId] };
      const { threadId } = lead;
      assert.equal((await dispatch.shareBudget({ threadId, ...besides })).tokens, 60);
      await threads.remove({ threadId: sampleId(3), replaces: 1, nowMs: 1 });
    },
  },
  {
    name: "never lets more at once than the limit, whoever asks at the same time",
    async run({ threads, dispatch }) {
      await dispatch.limit({ ...NO_LIMITS, threads: 3 });
      const all = Array.from({ length: 20 }, (_, n) => n + 1);
      await made(threads, all);
      const asked = await Promise.allSettled(
        all.map((n) => take(threads, n, { room: "or queue" })),
      );
      const taken = asked.filter(({ status }) => status === "fulfilled");
      assert.equal(taken.length, 3);
      assert.equal((await dispatch.list()).length, 17);
      for (const each of asked)
        if (each.status === "rejected")
          assert.equal(failureFrom(each.reason, "INTERNAL").code, "LIMIT_REACHED");
    },
  },
];

const WAIT = { ok: false, spent: null };

/** A thread and its children, all owned: the first is the parent. */
async function coordinated(
  threads: ThreadStore,
  count: number,
): Promise<[Lease, Lease, Lease, Lease]> {
  await made(threads, [1]);
  const workers = Array.from({ length: count }, (_, n) => n + 2);
  await made(threads, workers, { parentThread: sampleId(1), depth: 1 });
  const [lead, one, two, three = null] = await Promise.all(
    [1, ...workers].map((n) => take(threads, n)),
  );
  assert.ok(lead !== undefined && one !== undefined && two !== undefined);
  return [lead, one, two, three ?? two];
}

function share(dispatch: Dispatch, { threadId }: Lease, tokens: number) {
  return dispatch.shareBudget({
    threadId,
    step: 0,
    budget: { tokens, costUsd: null },
    workers: [],
  });
}

function begin(
  dispatch: Dispatch,
  owner: Lease,
  { nowMs = 1, used = { tokens: 0, costUsd: 0 } } = {},
) {
  return dispatch.beginCall({ ...owner, part: "", used, nowMs });
}

/** A call that becomes a step. */
async function ended(
  threads: ThreadStore,
  dispatch: Dispatch,
  owner: Lease,
  { step, tokens }: { step: number; tokens: number },
): Promise<void> {
  await threads.advance({ ...sampleMove(owner, step), spent: spent("a", tokens) });
  await dispatch.endCall({ ...owner, part: "", used: { tokens, costUsd: 0 } });
}

const ENDED = { status: "completed", returnCode: 0, summary: "" } as const;
const UNBOUND: Omit<RootLimits["providers"][string], "agents"> = {
  requestsPerMinute: null,
  tokensPerMinute: null,
};

async function made(
  threads: ThreadStore,
  numbers: readonly number[],
  changes: Partial<NewThread> = {},
): Promise<void> {
  for (const n of numbers) await threads.create(sampleThread(n, changes), null);
}

/** Takes the lease of the n-th thread, with room unless said otherwise. */
function take(
  threads: ThreadStore,
  n: number,
  how: {
    nowMs?: number;
    replaces?: number;
    room?: "or queue" | "or nothing" | undefined;
  } = {},
): Promise<Lease> {
  const { nowMs = 0, replaces = null } = how;
  const room = "room" in how ? how.room : "or nothing";
  return threads.acquire({
    ...{ threadId: sampleId(n), process: sampleProcess(n), ttlMs: TTL_MS, nowMs, replaces },
    ...(room === undefined ? {} : { room }),
  });
}

function spent(agent: string, tokens: number): Spent {
  const usage = { inputTokens: tokens - 1, outputTokens: 1, cachedInputTokens: 0, costUsd: null };
  return { role: "coder", agent, model: null, usage };
}
