import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AdoptedThread,
  type AnswerMove,
  type Dispatch,
  failureFrom,
  type LeaseRef,
  type LimitKey,
  type NewThread,
  type OwnerMove,
  type ParkedState,
  type PendingInput,
  type RootLimits,
  SPENT_BY,
  type Spent,
  type ThreadEnding,
  type ThreadLimits,
  type ThreadStore,
  type Waits,
} from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  sampleHash,
  sampleId,
  samplePersonWait,
  sampleProcess,
  sampleSha256,
  sampleThread,
  TTL_MS,
} from "../suite/sample-threads.ts";
import { memoryIndex } from "../threads/memory-store.ts";
import { openIndex } from "./sqlite-store.ts";

type Call = (store: ThreadStore, dispatch: Dispatch) => Promise<unknown>;

// Few values each, so that calls use the same threads, fences, heads and times.
const threadNo = fc.integer({ min: 1, max: 3 });
const threadId = threadNo.map(sampleId);
const fence = fc.integer({ min: 0, max: 4 });
const nowMs = fc.integer({ min: 0, max: 3_000 });
const head = fc.integer({ min: 0, max: 3 }).map(sampleHash);
const kind = fc.constantFrom("pause", "stop", "kill" as const);
const limits: fc.Arbitrary<ThreadLimits> = fc.constantFrom(
  { steps: 3 },
  { tokens: 5 },
  { steps: 7, roles: { coder: { costUsd: 0.5 } } },
  { roles: { coder: { timeMs: 9 }, planner: { steps: 2 } } },
);
const limit = { role: "coder", bound: "steps", limit: 3, used: 3 } as const;
const people = [
  samplePersonWait({ role: "editor" }),
  samplePersonWait({ deadline: 9, member: 1 }),
] as const;
const waits: fc.Arbitrary<Waits> = fc.constantFrom<Waits>(
  [{ role: "planner", message: "Which?" }],
  [{ role: "coder", message: "at its limit", kind: "limit", limit }],
  [{ role: "coder", message: "at a limit of old", kind: "limit" }],
  [{ role: "coder", message: "done", kind: "coordinator" }],
  [people[0]],
  people,
);
const pendingInput: fc.Arbitrary<PendingInput | null> = fc.constantFrom(
  null,
  { kind: "answer", role: "planner", text: "the \0 second" } as const,
  { kind: "prompt", text: "Go on" } as const,
);
const ending: fc.Arbitrary<ThreadEnding> = fc.record({
  status: fc.constantFrom("completed", "failed", "aborted"),
  returnCode: fc.integer({ min: 0, max: 2 }),
  summary: fc.constantFrom("", "done \0\n"),
});
const owner = fc.record({ threadId, fence, nowMs });
const from = fc.record({ threadId, fence, nowMs, from: head, to: fc.integer({ min: 1, max: 3 }) });
const spent = (inputTokens: number, costUsd: number | null): Spent => ({
  ...{ role: costUsd === null ? null : "coder", agent: "claude", model: null },
  usage: { inputTokens, outputTokens: 1, cachedInputTokens: 0, costUsd },
});
const target = from.map(({ to, ...rest }) => {
  return { ...rest, to: sampleHash(to), toSha256: sampleSha256(to) };
});
const move: fc.Arbitrary<OwnerMove> = fc
  .tuple(
    target,
    fc.constantFrom(
      { kind: "append" } as const,
      { kind: "append", spent: spent(3, null) } as const,
      { kind: "replace" } as const,
      { kind: "replace", spent: spent(1, 0.25) } as const,
      { kind: "upgrade", bundleHash: sampleHash(77) } as const,
    ),
  )
  .map(([to, how]) => ({ ...to, ...how }));
const answerMove: fc.Arbitrary<AnswerMove> = fc
  .tuple(target, fc.constantFrom([], [people[1]]))
  .map(([{ fence: _, ...to }, left]) => ({ ...to, kind: "answer", waits: left }));
const parked: fc.Arbitrary<ParkedState> = fc.oneof(
  fc.constantFrom(
    { status: "idle" } as const,
    { status: "paused" } as const,
    { status: "queued", queue: { since: 7, for: ["agent:claude"], notBefore: 900 } } as const,
    { status: "queued", queue: { since: 8, for: [], notBefore: null } } as const,
  ),
  waits.map((each) => ({ status: "suspended" as const, waits: each })),
);
const startKey = fc.option(fc.constantFrom("a", "b"));
const made: fc.Arbitrary<NewThread> = fc
  .record({
    no: threadNo,
    limits: fc.option(limits),
    agent: fc.option(fc.constant("claude")),
    title: fc.option(fc.constantFrom("Nightly", "The \0 second")),
    labels: fc.constantFrom({}, { keep: "" }, { team: "core", tier: "1" }),
    prompt: fc.option(fc.constantFrom("Say hello", "\n\t Größe \0 messen\nnow")),
    nextPrompt: fc.option(fc.constant("Go on")),
    queue: fc.constantFrom(undefined, { notBefore: null }, { notBefore: 1_000 }),
    priority: fc.constantFrom(0, 0, 3),
    workflow: fc.constantFrom("solve-issue", "review"),
    depth: fc.constantFrom(0, 1),
    parentThread: fc.constantFrom(null, sampleId(1), sampleId(1)),
  })
  .map(({ no, queue, ...more }) =>
    sampleThread(no, { ...more, ...(queue === undefined ? {} : { queue }) }),
  );
const copy: fc.Arbitrary<AdoptedThread> = fc
  .tuple(
    made,
    nowMs,
    fc.oneof(
      pendingInput.map((input) => ({ status: "idle" as const, pendingInput: input })),
      fc.tuple(waits, pendingInput).map(([asked, input]) => {
        return { status: "suspended" as const, waits: asked, pendingInput: input };
      }),
      ending,
    ),
  )
  .map(([thread, updatedAt, standing]) => {
    const {
      nextPrompt: _,
      queue: _queue,
      priority: _priority,
      limits = null,
      agent = null,
      title = null,
      ...facts
    } = thread;
    return { ...facts, labels: thread.labels ?? {}, title, limits, agent, updatedAt, ...standing };
  });
const no = fc.integer({ min: 0, max: 2 });
const acquisition = fc.record({
  pid: fc.integer({ min: 1, max: 3 }),
  nowMs,
  replaces: fc.option(fence),
  room: fc.constantFrom(undefined, "or queue", "or nothing" as const),
});
const agent = fc.constantFrom("claude", "codex");
const keys = fc.constantFrom<readonly LimitKey[] | null>(
  [],
  null,
  ["agent:claude"],
  ["provider:anthropic"],
);
const few = fc.integer({ min: 1, max: 12 });
const use = fc.record({ tokens: fc.integer({ min: 0, max: 9 }), costUsd: fc.constantFrom(0, 0.5) });
const callPart = fc.constantFrom("", "1");
const rootLimits: fc.Arbitrary<RootLimits> = fc.record({
  threads: fc.option(fc.integer({ min: 0, max: 3 })),
  workflows: fc.constantFrom({}, { review: 1 }),
  agents: fc.constantFrom({}, { claude: 1 }, { claude: 2, codex: 1 }),
  providers: fc.constantFrom(
    {},
    { anthropic: { requestsPerMinute: 2, tokensPerMinute: null, agents: ["claude"] } },
    { anthropic: { requestsPerMinute: null, tokensPerMinute: 5, agents: ["claude", "codex"] } },
  ),
  budgetPerDay: fc.constantFrom(null, { tokens: 9, costUsd: 0.5, zone: "Asia/Kathmandu" }),
});

type Named = fc.Arbitrary<{ shown: string; run: Call }>;

const owning: readonly Named[] = [
  named("create", fc.tuple(made, startKey), (store, by) => store.create(...by)),
  named("started with", fc.constantFrom("a", "b"), (store, key) => store.startedWith(key)),
  named("acquire", fc.tuple(threadId, acquisition), (store, [threadId, { pid, room, ...by }]) =>
    store.acquire({
      ...{ threadId, process: sampleProcess(pid), ttlMs: TTL_MS, ...by },
      ...(room === undefined ? {} : { room }),
    }),
  ),
  named("advance by the owner", move, async (store, by) => store.advance(await owned(store, by))),
  named("release by the owner", fc.tuple(owner, parked), async (store, [by, to]) =>
    store.release({ ...(await owned(store, by)), to }),
  ),
];
const queueing: readonly Named[] = [
  named("limit", rootLimits, (_, limit, dispatch) => dispatch.limit(limit)),
  named("pause", nowMs, (_, at, dispatch) => dispatch.pause(at)),
  named("resume", fc.constant(null), (_, _none, dispatch) => dispatch.resume()),
  named(
    "want",
    fc.record({
      threadId,
      replaces: fc.option(fence),
      for: keys,
      notBefore: fc.option(nowMs),
      nowMs,
    }),
    (_, job, dispatch) => dispatch.want(job),
  ),
  named("unwant", fc.tuple(threadId, nowMs), (_, by, dispatch) => dispatch.unwant(...by)),
  named("lend", owner, async (store, by, dispatch) => dispatch.lend(await owned(store, by))),
  named("take back", owner, async (store, by, dispatch) =>
    dispatch.takeBack(await owned(store, by)),
  ),
  named("take", fc.tuple(owner, agent), async (store, [by, which], dispatch) =>
    dispatch.take({ ...(await owned(store, by)), agent: which, part: "1" }),
  ),
  named("free", owner, async (store, by, dispatch) =>
    dispatch.free({ ...(await owned(store, by)), part: "1" }),
  ),
];
const sharing: readonly Named[] = [
  named(
    "share a budget",
    fc.record({
      threadId,
      step: fc.integer({ min: 0, max: 2 }),
      budget: fc.record({ tokens: fc.option(few), costUsd: fc.option(few) }),
      workers: fc.array(threadId, { maxLength: 1 }),
    }),
    (_, request, dispatch) => dispatch.shareBudget(request),
  ),
  named("begin a call", fc.tuple(owner, callPart, use), async (store, [by, part, used], dispatch) =>
    dispatch.beginCall({ ...(await owned(store, by)), part, used }),
  ),
  named("note a call", fc.tuple(owner, callPart, use), async (store, [by, part, used], dispatch) =>
    dispatch.noteCall({ ...(await owned(store, by)), part, used }),
  ),
  named("end a call", fc.tuple(owner, callPart, use), async (store, [by, part, used], dispatch) =>
    dispatch.endCall({ ...(await owned(store, by)), part, used }),
  ),
];
const steering: readonly Named[] = [
  named("adopt", fc.array(copy, { maxLength: 2 }), (store, copies) => store.adopt(copies)),
  named("renew", fc.tuple(fc.array(owner, { maxLength: 3 }), nowMs), (store, [leases, at]) =>
    store.renew({ leases, ttlMs: 500, nowMs: at }),
  ),
  named("signals", fc.array(threadId), (store, ids) => store.signals(ids)),
  named("advance", move, (store, by) => store.advance(by)),
  named("answer in person", answerMove, (store, by) => store.advance(by)),
  named("finish", fc.tuple(target, ending), (store, [by, as]) => store.finish({ ...by, ...as })),
  named("finish by the owner", fc.tuple(target, ending), async (store, [by, as]) =>
    store.finish({ ...(await owned(store, by)), ...as }),
  ),
  named("release", fc.tuple(owner, parked), (store, [by, to]) => store.release({ ...by, to })),
  named("signal", fc.tuple(threadId, kind), (store, [id, which]) => store.signal(id, which, 1)),
  named("clearSignal", fc.tuple(threadId, kind), (store, by) => store.clearSignal(...by)),
  named("answer", fc.record({ threadId, text: fc.string(), nowMs }), (store, by) =>
    store.answer(by),
  ),
  named("raise", fc.record({ threadId, limits, nowMs }), (store, by) => store.raise(by)),
  named("listen", fc.subarray(["desk", "phone"]), (store, names) => store.listen(names)),
  named("settle a notice", fc.record({ no, nowMs }), async (store, by) => {
    const notice = (await store.notices({}))[by.no];
    if (notice !== undefined) await store.settleNotice({ ...notice, nowMs: by.nowMs });
  }),
  named("put a notice off", fc.record({ no, dueAt: nowMs }), async (store, { no: n, dueAt }) => {
    const notice = (await store.notices({}))[n];
    if (notice !== undefined) await store.putOffNotice({ ...notice, dueAt, fault: "busy" });
  }),
  named("remove", fc.record({ threadId, replaces: fc.option(fence), nowMs }), (store, by) =>
    store.remove(by),
  ),
];

test.each([
  { name: "threads", calls: [...owning, ...steering] },
  { name: "the queue", calls: [...owning, ...owning, ...queueing] },
  { name: "a shared budget", calls: [...owning, ...owning, ...sharing] },
])(
  "the conditions of the SQL and the written reasons agree on $name, whatever is called in whatever order",
  async ({ calls: each }) => {
    const property = fc.asyncProperty(
      fc.array(fc.oneof(...each), { minLength: 5, maxLength: 40 }),
      async (calls) => {
        const root = await mkdtemp(join(tmpdir(), "store-"));
        const [stored, kept] = [await openIndex(root), memoryIndex()];
        const [sqlite, memory] = [stored.threads, kept.threads];
        try {
          for (const { shown, run } of calls) {
            expect(await outcome(run, stored), shown).toEqual(await outcome(run, kept));
            for (const at of [0, 1_500]) {
              for (const besides of [[], [sampleId(1)]])
                expect(await stored.dispatch.next({ besides, nowMs: at }), shown).toEqual(
                  await kept.dispatch.next({ besides, nowMs: at }),
                );
              expect(await stored.dispatch.budget(at), shown).toEqual(
                await kept.dispatch.budget(at),
              );
            }
            expect(await stored.dispatch.list(), shown).toEqual(await kept.dispatch.list());
            expect(await sqlite.list({}), shown).toEqual(await memory.list({}));
            expect(await sqlite.notices({}), shown).toEqual(await memory.notices({}));
            for (const by of SPENT_BY)
              expect(await sqlite.spent({ by }), shown).toEqual(await memory.spent({ by }));
            for (const filter of FILTERS)
              expect(await sqlite.list(filter), shown).toEqual(await memory.list(filter));
          }
          expect(await remembered(sqlite)).toEqual(await remembered(memory));
        } finally {
          await sqlite.close();
          await rm(root, { recursive: true, force: true });
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  },
  60_000,
);

const FILTERS = [
  { suspended: true },
  { text: "GRÖSSE now" },
  { text: "hello nightly" },
  { labels: { team: "core", tier: null } },
] as const;

/** The same call by the thread's owner and from its head, which random values seldom hit. */
async function owned<By extends LeaseRef>(store: ThreadStore, by: By): Promise<By> {
  const thread = await store.get(by.threadId);
  if (thread?.status !== "running") return by;
  return { ...by, fence: thread.lease.fence, from: thread.head };
}

function named<T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (store: ThreadStore, value: T, dispatch: Dispatch) => Promise<unknown>,
): fc.Arbitrary<{ shown: string; run: Call }> {
  return values.map((value) => {
    return {
      shown: `${name} ${JSON.stringify(value)}`,
      run: (store, dispatch) => run(store, value, dispatch),
    };
  });
}

/** A thread's last line is decided by its time, and the times here are random, so only these are compared. */
async function remembered(store: ThreadStore): Promise<{ ids: string[]; lastRemovalAt: number }> {
  const { ended, lastRemovalAt } = await store.history();
  return { ids: ended.map(({ threadId: id }) => id).sort(), lastRemovalAt };
}

async function outcome(
  run: Call,
  { threads, dispatch }: { threads: ThreadStore; dispatch: Dispatch },
): Promise<unknown> {
  return run(threads, dispatch).then(
    (value) => ({ value }),
    (thrown: unknown) => ({ refused: failureFrom(thrown, "INTERNAL") }),
  );
}
