/** A thread in memory whose lease the test holds, ready to be driven. */
import { openMemoryStore } from "@uncaged/workflow-cas";
import type {
  NodeStore,
  ProcessIdentity,
  ThreadRecord,
  WorkflowError,
  WorkflowFn,
} from "@uncaged/workflow-protocol";
import { memoryLiveLog, memoryThreadStore } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { loadChain } from "./chain.ts";
import { createThread } from "./create-thread.ts";
import type { Engine } from "./engine.ts";
import { engineRuntime } from "./engine-runtime.ts";
import { executeThread, type RunOutcome, type ThreadRun } from "./execute-thread.ts";
import { publishInTurn } from "./publish-in-turn.test.helper.ts";
import { readNode } from "./read-node.ts";
import { threadContext } from "./thread-context.ts";
import { timerKeeper } from "./timer-keeper.ts";

/** Certainly dead: no system has pids that high. */
const OWNER: ProcessIdentity = { ...ownIdentity(), pid: 2 ** 22 + 1 };
const ANOTHER: ProcessIdentity = { ...ownIdentity(), pid: 2 ** 22 + 2 };
const BUNDLE = "EYHPV6X8XHTCS";

export type ExecuteOptions = Partial<
  Pick<ThreadRun, "signal" | "emit" | "costs" | "rulesFault" | "supervise" | "summarize"> & {
    maxSteps: number;
  }
>;

export type OwnedThread = {
  engine: Engine;
  threadId: string;
  execute(workflow: WorkflowFn, opts?: ExecuteOptions): Promise<RunOutcome>;
  record(): Promise<ThreadRecord>;
  contentOf(state: string): Promise<string>;
  /** Every later write to the CAS fails with this. */
  breakCas(error: WorkflowError): void;
  loseLease(): Promise<void>;
};

export async function ownedThread(root: string): Promise<OwnedThread> {
  let broken: WorkflowError | null = null;
  const memory = openMemoryStore();
  const cas: NodeStore = {
    ...memory,
    putBatch: async (nodes) => {
      if (broken !== null) throw broken;
      return memory.putBatch(nodes);
    },
  };
  const store = memoryThreadStore();
  const publish = publishInTurn({ cas, store });
  const table = null;
  const behind = null;
  const engine: Engine = {
    root,
    cas,
    store,
    live: memoryLiveLog(),
    publish,
    table,
    behind,
    keeper: timerKeeper({ store, now: Date.now }),
    now: Date.now,
    packagesBase: import.meta.url,
  };
  const { thread } = await createThread(engine, {
    workflow: { name: "sample", hash: BUNDLE, sha256: "0".repeat(64), externals: {} },
    prompt: "do it",
    cwd: "/",
    startKey: null,
    depth: 0,
    parent: null,
  });
  const { threadId } = thread;
  const lease = await store.acquire({
    threadId,
    process: OWNER,
    ttlMs: 60_000,
    nowMs: Date.now(),
    replaces: null,
  });
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
      const current = await record();
      const signal = opts.signal ?? new AbortController().signal;
      const emit = opts.emit ?? (() => undefined);
      return executeThread({
        engine,
        thread: current,
        tail: {
          threadId,
          fence: lease.fence,
          startHash: current.startHash,
          stateHashes: [],
          roundHashes: [],
          parentSha256: current.headSha256,
          head: current.head,
        },
        workflow,
        context: await threadContext(cas, current, await loadChain(cas, current)),
        runtime: engineRuntime({
          cas,
          extract: () => () => Promise.reject(new Error("nothing to extract here")),
          signal,
          thread: current,
          origin: { has: () => false, isAsItWas: async () => false },
          directive: null,
          unrecorded: [],
          rules: {},
          fence: lease.fence,
          now: Date.now,
          emit,
          homes: "/nowhere",
          player: () => ({ agent: null, previousSession: null }),
          agent: async () => Promise.reject(new Error("not here")),
          runChild: () => Promise.reject(new Error("no children here")),
        }),
        roles: new Set(["coder", "tester"]),
        rulesFault: opts.rulesFault ?? (async () => null),
        signal,
        maxSteps: opts.maxSteps ?? null,
        costs: opts.costs ?? { extraction: () => null, watching: () => null, lost: () => null },
        supervise: opts.supervise ?? (async () => null),
        summarize: opts.summarize ?? (async (_states, own) => own),
        endsNext: async () => false,
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
