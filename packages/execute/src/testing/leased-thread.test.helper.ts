/** A thread in memory whose lease the test holds, ready to be driven. */
import type {
  ProcessIdentity,
  RootStore,
  ThreadRecord,
  WorkflowError,
  WorkflowFn,
} from "@uncaged/workflow-protocol";
import { memoryRegistry } from "@uncaged/workflow-register";
import { memoryLiveLog } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { loadChain, roleStates } from "../chain/chain.ts";
import { cursorAt } from "../chain/chain-cursor.ts";
import { readNode } from "../chain/read-node.ts";
import { threadContext } from "../chain/thread-context.ts";
import { engineRuntime } from "../run/engine-runtime.ts";
import { executeThread, type RunOutcome, type ThreadRun } from "../run/execute-thread.ts";
import { waitFor } from "../run/person-wait.ts";
import { type HandOver, threadRoom } from "../run/thread-room.ts";
import { createThread } from "../start/create-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { memoryRoot } from "./memory-root.test.helper.ts";
import { timerKeeper } from "./timer-keeper.test.helper.ts";

const decider = { description: "Decides.", systemPrompt: "", schema: {}, person: {} };

/** The roles that people play; bob has no time. */
const people = { alice: decider, bob: { ...decider, timeoutMs: 1 } };

/** Certainly dead: no system has pids that high. */
const OWNER: ProcessIdentity = { ...ownIdentity(), pid: 2 ** 22 + 1 };
const ANOTHER: ProcessIdentity = { ...ownIdentity(), pid: 2 ** 22 + 2 };
const BUNDLE = "EYHPV6X8XHTCS";

export type ExecuteOptions = Partial<
  Pick<
    ThreadRun,
    | "signal"
    | "emit"
    | "costs"
    | "held"
    | "supervise"
    | "summarize"
    | "noAgentNext"
    | "endCoordination"
  > & {
    maxSteps: number;
    handOver: HandOver;
  }
>;

export type OwnedThread = {
  engine: Engine;
  threadId: string;
  /** Takes the lease again when the thread rests. */
  execute(workflow: WorkflowFn, opts?: ExecuteOptions): Promise<RunOutcome>;
  record(): Promise<ThreadRecord>;
  contentOf(state: string): Promise<string>;
  /** Every later write to the CAS fails with this; null: writes succeed again. */
  breakCas(error: WorkflowError | null): void;
  loseLease(): Promise<void>;
};

export async function ownedThread(root: string): Promise<OwnedThread> {
  let broken: WorkflowError | null = null;
  const memory = memoryRoot(root);
  const { store, dispatch, workers } = memory;
  const cas: RootStore = {
    ...memory.cas,
    putBatch: async (nodes) => {
      if (broken !== null) throw broken;
      return memory.cas.putBatch(nodes);
    },
    publish: async (nodes, move) => {
      if (broken !== null) throw broken;
      return memory.cas.publish(nodes, move);
    },
  };
  const engine: Engine = {
    root,
    cas,
    store,
    dispatch,
    workers,
    registry: memoryRegistry(),
    live: memoryLiveLog(),
    keeper: timerKeeper({ store, now: Date.now }),
    now: Date.now,
    packagesBase: import.meta.url,
  };
  const { thread } = await createThread(engine, {
    workflow: {
      name: "sample",
      hash: BUNDLE,
      sha256: "0".repeat(64),
      externals: {},
      workspace: "shared",
    },
    prompt: "do it",
    cwd: "/",
    worktree: null,
    startKey: null,
    depth: 0,
    parent: null,
  });
  const { threadId } = thread;
  const acquire = () =>
    store.acquire({
      threadId,
      process: OWNER,
      ttlMs: 60_000,
      nowMs: Date.now(),
      replaces: null,
    });
  let lease = await acquire();
  const record = async (): Promise<ThreadRecord> => {
    const found = await store.get(threadId);
    if (found === null) throw new Error("the thread is gone");
    return found;
  };
  return {
    engine,
    threadId,
    record,
    execute: async (workflow, opts = {}) => {
      // It rests after a run that did not end it.
      if ((await record()).status !== "running") lease = await acquire();
      const current = await record();
      const outer = opts.signal ?? new AbortController().signal;
      const how = { kind: "or queue", signal: outer, handOver: opts.handOver } as const;
      const room = threadRoom(engine, lease, how);
      const { signal } = room;
      const emit = opts.emit ?? (() => undefined);
      if (current.status !== "running") throw new Error(`the thread is ${current.status}`);
      const chain = await loadChain(cas, current);
      const context = await threadContext(cas, current, chain);
      return executeThread({
        engine,
        thread: current,
        cursor: cursorAt(current, chain, { fence: lease.fence }),
        roundHashes: roleStates(chain).map(({ hash }) => hash),
        workflow,
        context,
        files: {
          begin: () => null,
          now: async () => null,
          end: async () => ({ workspace: null, notes: [] }),
        },
        runtimeAt: () =>
          engineRuntime({
            look: () => null,
            isolation: "none",
            readThread: () => Promise.reject(new Error("not used here")),
            tasksOf: () => {
              throw new Error("not used here");
            },
            commandsOf: () => {
              throw new Error("not used here");
            },
            memberPlace: () => ({ cwd: "/", stand: async () => undefined }),
            checkFiles: async () => null,
            traceparent: null,
            cas,
            extract: () => () => Promise.reject(new Error("nothing to extract here")),
            signal,
            thread: current,
            origin: { has: () => false, isAsItWas: async () => false },
            directive: null,
            replaced: null,
            unrecorded: [],
            resumes: context.steps.at(-1)?.group ?? null,
            rules: {},
            fence: lease.fence,
            now: Date.now,
            emit,
            storageRoot: root,
            homes: "/nowhere",
            roleAgent: () => ({ agent: null, previousSession: null }),
            agent: async () => Promise.reject(new Error("not here")),
            askPerson: async () => ({ allowed: false, reason: "nobody is here" }),
            standBack: () => Promise.reject(new Error("nothing to wait for here")),
            workers: () => undefined,
            scratch: () => null,
            isWorker: false,
            calls: null,
            runChild: () => Promise.reject(new Error("no children here")),
          }),
        takeBackFiles: async () => {},
        endCoordination: opts.endCoordination ?? (async () => null),
        endCall: async () => undefined,
        releaseWorkers: async () => {},
        isHeld: async () => false,
        roles: new Set(["coder", "tester"]),
        waitedFor: () => [],
        waitFor: (asked) => waitFor({ ...asked, roles: people, nowMs: Date.now() }),
        checked: async (output) => ({ output, fault: null }),
        held: opts.held ?? (async () => ({ fault: null, proved: null })),
        proofAfter: () => null,
        isolation: "none",
        filesFound: async () => null,
        signal,
        room,
        maxSteps: opts.maxSteps ?? null,
        costs: opts.costs ?? { extraction: () => null, watching: () => null, lost: () => null },
        supervise: opts.supervise ?? (async () => null),
        summarize: opts.summarize ?? (async (_states, own) => own),
        noAgentNext: opts.noAgentNext ?? (async () => false),
        resultAfter: async () => null,
        emit,
      });
    },
    contentOf: async (state) => {
      const { payload } = await readNode(cas, state, "state");
      return (await readNode(cas, payload.content, "content")).payload;
    },
    breakCas: (error) => {
      broken = error;
    },
    loseLease: async () => {
      await store.acquire({
        threadId,
        process: ANOTHER,
        ttlMs: 60_000,
        nowMs: Date.now(),
        replaces: lease.fence,
      });
    },
  };
}
