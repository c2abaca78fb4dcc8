import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AdapterFn,
  agentError,
  type Dispatch,
  type Lease,
  NO_LIMITS,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { memoryIndex } from "@uncaged/workflow-store";
import { ownIdentity, storagePaths } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FULL, type RoomKind, type ThreadRoom, threadRoom } from "./thread-room.ts";

const HASH = "0".repeat(13);
const NOW = 1_700_000_000_000;

let root = "";
let threads: ThreadStore;
let dispatch: Dispatch;
/** How often room was requested. */
let asked: number;
const stop = new AbortController();

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "thread-room-"));
  const index = memoryIndex();
  asked = 0;
  threads = index.threads;
  dispatch = {
    ...index.dispatch,
    take: (request) => {
      asked += 1;
      return index.dispatch.take(request);
    },
  };
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** As long as this process lives, the root has a host. */
async function hostIsUp(): Promise<void> {
  const host = { process: ownIdentity(), since: 1, socket: "/nowhere" };
  await writeFile(storagePaths(root).host, JSON.stringify(host));
}

async function lease(n: number): Promise<Lease> {
  const threadId = `01KAJ2Z6PVX00000000000000${n}`;
  await threads.create(
    {
      ...{ threadId, workflow: "sample", bundleHash: HASH, startHash: HASH, head: HASH },
      ...{ headSha256: "0".repeat(64), stepCount: 0, depth: 0, parentThread: null, cwd: "/" },
      ...{ forkedFrom: null, startedAt: NOW, createdAt: NOW },
    },
    null,
  );
  const process = ownIdentity();
  const at = { ttlMs: 60_000, nowMs: NOW, replaces: null };
  return threads.acquire({ threadId, process, ...at, room: "or nothing" });
}

const roomOf = (owner: Lease, kind: RoomKind = "or queue"): ThreadRoom =>
  threadRoom({ root, dispatch, now: () => NOW }, owner, { kind, signal: stop.signal });

const CLAUDE = { agent: "claude", provider: "anthropic", agents: ["claude", "opus"] };

/** An agent that runs until the test ends it. */
class Agent {
  readonly begun: (() => void)[] = [];
  readonly adapter = Object.assign(
    (() => () => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      this.begun.push(() => resolve({ meta: {}, childThread: null }));
      return promise;
    }) as unknown as AdapterFn,
    { holdsPolicy: true } as const,
  );

  play(room: ThreadRoom, signal: AbortSignal = stop.signal): Promise<unknown> {
    const run = room.limited(CLAUDE, this.adapter)("", undefined as never);
    const done = run(undefined as never, { signal, step: {} } as never);
    done.catch(() => undefined);
    return done;
  }

  async runs(count: number): Promise<void> {
    await expect.poll(() => this.begun.length, { timeout: 20_000 }).toBe(count);
  }
}

const askedTimes = (count: number): Promise<void> =>
  expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
const limitTo = (count: number) => dispatch.limit({ ...NO_LIMITS, agents: { claude: count } });

describe("a run of an agent", () => {
  it("holds its room until it has ended, and the next one begins then", async () => {
    await limitTo(1);
    const [one, two] = [roomOf(await lease(1)), roomOf(await lease(2))];
    const agent = new Agent();
    const first = agent.play(one);
    await agent.runs(1);
    const second = agent.play(two);
    // Without a host it stays and asks again.
    await askedTimes(4);
    expect(two.signal.aborted).toBe(false);
    expect(agent.begun).toHaveLength(1);
    agent.begun[0]?.();
    await first;
    await agent.runs(2);
    agent.begun[1]?.();
    await second;
  });

  it("keeps the adapter's properties, and returns its room when the adapter fails", async () => {
    await limitTo(1);
    const room = roomOf(await lease(1));
    const fails: AdapterFn = () => () => Promise.reject(new Error("it broke"));
    for (let n = 0; n < 3; n += 1) {
      const run = room.limited(CLAUDE, fails)("", undefined as never);
      await expect(
        run(undefined as never, { signal: stop.signal, step: {} } as never),
      ).rejects.toThrow("broke");
    }
    expect(room.limited(CLAUDE, fails).holdsPolicy).toBeUndefined();
    expect(room.limited(CLAUDE, new Agent().adapter).holdsPolicy).toBe(true);
  });

  it("queues its thread when there is no room and a host is up", async () => {
    await limitTo(1);
    await hostIsUp();
    const [one, two] = [roomOf(await lease(1)), roomOf(await lease(2))];
    const agent = new Agent();
    void agent.play(one);
    await agent.runs(1);
    await expect(agent.play(two)).rejects.toBe(FULL);
    expect(two.signal.reason).toBe(FULL);
    expect(two.waitsFor()).toEqual({ for: ["agent:claude"], notBefore: null });
    expect(agent.begun).toHaveLength(1);
  });

  it("queues its thread until a provider's minute is over", async () => {
    const anthropic = { requestsPerMinute: 1, tokensPerMinute: null, agents: ["claude"] };
    await dispatch.limit({ ...NO_LIMITS, agents: { claude: 9 }, providers: { anthropic } });
    await hostIsUp();
    const room = roomOf(await lease(1));
    const agent = new Agent();
    const first = agent.play(room);
    await agent.runs(1);
    agent.begun[0]?.();
    await first;
    await expect(agent.play(room)).rejects.toBe(FULL);
    const { for: keys, notBefore } = room.waitsFor();
    expect(keys).toEqual(["provider:anthropic"]);
    expect(notBefore).toBeGreaterThanOrEqual(NOW + 60_000);
    expect(notBefore).toBeLessThanOrEqual(NOW + 65_000);
  });

  it("that is turned away keeps others of its provider from beginning, until they may come back", async () => {
    await hostIsUp();
    const [one, two] = [roomOf(await lease(1)), roomOf(await lease(2))];
    const about = { message: "slow down", hint: "", run: null };
    const refused: AdapterFn = () => () =>
      Promise.reject(agentError("rate_limited", { ...about, retryAfterMs: 20_000 }));
    const step = {};
    const attempt = (adapter: AdapterFn): Promise<unknown> =>
      one.limited(CLAUDE, adapter)("", undefined as never)(
        undefined as never,
        { signal: stop.signal, step } as never,
      );
    await expect(attempt(refused)).rejects.toThrow("slow down");
    expect(await dispatch.holds(NOW)).toEqual([
      { key: "provider:anthropic", agents: ["claude", "opus"], untilMs: NOW + 20_000 },
    ]);
    const agent = new Agent();
    const opus = two.limited({ ...CLAUDE, agent: "opus" }, agent.adapter)("", undefined as never);
    await expect(opus(undefined as never, { signal: stop.signal, step: {} } as never)).rejects.toBe(
      FULL,
    );
    expect(two.waitsFor()).toEqual({ for: ["provider:anthropic"], notBefore: null });
    // Its own step has begun: it waits where it is.
    const again = attempt(agent.adapter);
    await askedTimes(5);
    expect(one.signal.aborted).toBe(false);
    expect(agent.begun).toHaveLength(0);
    await dispatch.resume();
    await agent.runs(1);
    agent.begun[0]?.();
    await again;
  });

  it("that waits for its provider by itself says so while it runs", async () => {
    const room = roomOf(await lease(1));
    const events: unknown[] = [];
    const event = { type: "retry", reason: "429", delayMs: 9_000, retryAfterMs: 9_000 } as const;
    const waits: AdapterFn = () => async (_ctx, runtime) => {
      runtime.emit(event);
      return { meta: {} as never, childThread: null };
    };
    const alone = { agent: "claude", provider: null, agents: ["claude"] };
    const run = room.limited(alone, waits)("", undefined as never);
    const emit = (said: unknown): void => void events.push(said);
    await run(undefined as never, { signal: stop.signal, step: {}, emit } as never);
    expect(events).toEqual([event]);
    await expect.poll(() => dispatch.holds(NOW)).toHaveLength(1);
    const [held] = await dispatch.holds(NOW);
    expect(held).toEqual({ key: "agent:claude", agents: ["claude"], untilMs: NOW + 9_000 });
  });

  it("makes a thread that a person runs fail at once", async () => {
    await limitTo(1);
    const [one, two] = [roomOf(await lease(1)), roomOf(await lease(2), "or nothing")];
    const agent = new Agent();
    void agent.play(one);
    await agent.runs(1);
    await expect(agent.play(two)).rejects.toBe(FULL);
  });

  it("does not end another member at work, but queues the thread once all the others wait", async () => {
    await limitTo(1);
    await hostIsUp();
    const [one, two] = [roomOf(await lease(1)), roomOf(await lease(2))];
    const agent = new Agent();
    void agent.play(one);
    await agent.runs(1);
    two.underWay(2);
    const waiting = agent.play(two);
    await askedTimes(4);
    expect(two.signal.aborted).toBe(false);
    two.underWay(1);
    await expect(waiting).rejects.toBe(FULL);
  });

  it("stops waiting when its own member is ended", async () => {
    await limitTo(1);
    const [one, two] = [roomOf(await lease(1)), roomOf(await lease(2))];
    const agent = new Agent();
    void agent.play(one);
    await agent.runs(1);
    const member = new AbortController();
    const waiting = agent.play(two, member.signal);
    member.abort(new Error("it has joined"));
    await expect(waiting).rejects.toThrow();
    expect(two.signal.aborted).toBe(false);
  });
});

describe("a thread that waits", () => {
  it("lends its room, and continues when it has it back", async () => {
    await dispatch.limit({ ...NO_LIMITS, threads: 1 });
    const parent = await lease(1);
    const room = roomOf(parent);
    let child: Lease | null = null;
    const waited = room.whileWaiting(async () => {
      child = await lease(2);
      return "the child's";
    });
    await expect.poll(() => child).not.toBeNull();
    let isBack = false;
    void waited.then(() => {
      isBack = true;
    });
    await expect(lease(3)).rejects.toThrow("threads");
    expect(isBack).toBe(false);
    if (child !== null)
      await threads.release({ ...(child as Lease), nowMs: NOW, to: { status: "idle" } });
    expect(await waited).toBe("the child's");
    await expect(lease(4)).rejects.toThrow("threads");
  });

  it("stands back with its room lent, and no longer than it is wanted", async () => {
    await dispatch.limit({ ...NO_LIMITS, threads: 1 });
    const room = roomOf(await lease(1));
    const wanted = new AbortController();
    const waiting = room.standBack({ delayMs: 3_600_000, signal: wanted.signal });
    waiting.catch(() => undefined);
    let other: Lease | null = null;
    await expect
      .poll(async () => {
        other = await lease(2).catch(() => null);
        return other;
      })
      .not.toBeNull();
    if (other !== null)
      await threads.release({ ...(other as Lease), nowMs: NOW, to: { status: "idle" } });
    wanted.abort(new Error("not wanted any more"));
    await expect(waiting).rejects.toThrow("not wanted");
    await expect(lease(3)).rejects.toThrow("threads");
  });

  it("keeps its room as long as one member is at work", async () => {
    await dispatch.limit({ ...NO_LIMITS, threads: 1 });
    const room = roomOf(await lease(1));
    room.underWay(2);
    const end = Promise.withResolvers<void>();
    const waited = room.whileWaiting(() => end.promise);
    await expect(lease(2)).rejects.toThrow("threads");
    room.underWay(1);
    await expect.poll(() => dispatch.next({ besides: [], nowMs: NOW })).toEqual([]);
    await expect
      .poll(() =>
        lease(3).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    end.resolve();
    void waited;
  });
});
