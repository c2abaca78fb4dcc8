/** Owns a thread for a while: takes the lease, drives the workflow, gives the lease back.
 *
 *  1. Whoever calls this is the runner: a background process, or a command that runs steps itself.
 *  2. Before anything runs, what a killed owner left behind is ended (its processes carry the thread's mark).
 *  3. Every way out gives the lease up, except losing it. */
import { pathToFileURL } from "node:url";
import {
  type ChildOutcome,
  END,
  err,
  type Failure,
  failure,
  failureFrom,
  type Lease,
  type LiveEvent,
  ok,
  type Result,
  type ThreadContext,
  type ThreadRecord,
  type WorkflowDescriptor,
  type WorkflowFn,
} from "@uncaged/workflow-protocol";
import { type OpenedBundle, openBundle } from "@uncaged/workflow-register";
import { endMarked, ownIdentity, storagePaths } from "@uncaged/workflow-util";
import type { Tail } from "./append-step.ts";
import { type Chain, loadChain, roleStates } from "./chain.ts";
import { runChild } from "./child-thread.ts";
import type { Engine } from "./engine.ts";
import { engineRuntime, threadMark } from "./engine-runtime.ts";
import { executeThread, type Interruption, type RunOutcome } from "./execute-thread.ts";
import { freeExtract } from "./extract.ts";
import { LEASE_TTL_MS, startHeartbeat } from "./heartbeat.ts";
import { openLiveFile } from "./live-file.ts";
import { nextRole } from "./next-role.ts";
import { runnerState } from "./observe.ts";
import { readBlob } from "./read-node.ts";
import { threadContext } from "./thread-context.ts";

export type RunRequest = {
  threadId: string;
  /** null: to the end. */
  maxSteps: number | null;
  /** Aborting it with an `Interruption` as reason stops or kills; another reason counts as kill. */
  signal: AbortSignal;
  /** Called once the thread is owned and its bundle loaded. */
  onReady?: () => void;
};

/** Runs a thread until it ends, rests or is interrupted. Throws when the storage is broken or the lease lost. */
export async function runThread(
  engine: Engine,
  request: RunRequest,
): Promise<Result<RunOutcome, Failure>> {
  const lease = await takeLease(engine, request.threadId);
  if (!lease.ok) return lease;
  const { live, heartbeat, abort } = startTenure(engine, lease.value, request.signal);
  try {
    const loaded = await load(engine, request.threadId);
    if (!loaded.ok) return await giveUp(engine, lease.value, loaded.error);
    request.onReady?.();
    return ok(
      await drive(engine, {
        ...request,
        lease: lease.value,
        loaded: loaded.value,
        signal: abort.signal,
        emit: live.emit,
      }),
    );
  } catch (thrown) {
    return await giveUp(engine, lease.value, failureFrom(thrown, "INTERNAL"));
  } finally {
    heartbeat.stop();
    live.close();
  }
}

/** Takes the lease; an owner whose process is certainly gone is replaced at once, its leftovers ended. */
async function takeLease(engine: Engine, threadId: string): Promise<Result<Lease, Failure>> {
  const thread = await engine.store.get(threadId);
  if (thread === null)
    return err(
      failure("THREAD_NOT_FOUND", `no thread ${threadId}`, "see: uncaged-workflow thread list"),
    );
  const runner = runnerState(thread.lease, engine.now());
  try {
    const lease = await engine.store.acquire({
      threadId,
      process: ownIdentity(),
      ttlMs: LEASE_TTL_MS,
      nowMs: engine.now(),
      replaces: runner === "dead" && thread.lease !== null ? thread.lease.fence : null,
    });
    if (runner !== "none") await endMarked({ mark: threadMark(threadId), graceMs: 0 });
    return ok(lease);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

function startTenure(
  engine: Engine,
  lease: Lease,
  outer: AbortSignal,
): {
  live: ReturnType<typeof openLiveFile>;
  heartbeat: { stop: () => void };
  abort: AbortController;
} {
  const abort = new AbortController();
  const interrupt = (reason: Interruption): void => abort.abort(reason);
  if (outer.aborted) abort.abort(outer.reason);
  else outer.addEventListener("abort", () => abort.abort(outer.reason), { once: true });
  const live = openLiveFile(storagePaths(engine.root).liveFile(lease.threadId));
  const heartbeat = startHeartbeat({ store: engine.store, lease, now: engine.now, interrupt });
  return { live, heartbeat, abort };
}

type Loaded = {
  thread: ThreadRecord;
  chain: Chain;
  startSha256: string;
  bundle: OpenedBundle;
  workflow: WorkflowFn;
};

async function load(engine: Engine, threadId: string): Promise<Result<Loaded, Failure>> {
  const thread = await engine.store.get(threadId);
  if (thread === null)
    return err(failure("THREAD_NOT_FOUND", `thread ${threadId} was removed meanwhile`, ""));
  const chain = await loadChain(engine.cas, thread);
  const { sha256Hex } = await import("@uncaged/workflow-cas");
  const startSha256 = sha256Hex(await readBlob(engine.cas, thread.startHash));
  // The thread runs the bytes it was started with, or none: the start node vouches for them.
  const bundle = await openBundle(
    engine.root,
    thread.bundleHash,
    chain.start.payload.digests[thread.bundleHash] ?? "",
  );
  if (!bundle.ok) return bundle;
  const workflow = await importWorkflow(bundle.value.file);
  if (!workflow.ok) return workflow;
  return ok({ thread, chain, startSha256, bundle: bundle.value, workflow: workflow.value });
}

async function importWorkflow(file: string): Promise<Result<WorkflowFn, Failure>> {
  try {
    const bundle: { run?: unknown } = await import(pathToFileURL(file).href);
    if (isWorkflowFn(bundle.run)) return ok(bundle.run);
    return err(
      failure("BUNDLE_EXPORTS", `${file} exports no function named run`, "add the workflow again"),
    );
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    return err(
      failure(
        "BUNDLE_UNRESOLVED",
        `${file} does not load: ${cause}`,
        "run: uncaged-workflow doctor",
      ),
    );
  }
}

/** All that can be known of a function; what it yields is parsed as it comes. */
function isWorkflowFn(value: unknown): value is WorkflowFn {
  return typeof value === "function";
}

async function drive(
  engine: Engine,
  run: RunRequest & { lease: Lease; loaded: Loaded; emit: (event: LiveEvent) => void },
): Promise<RunOutcome> {
  const { thread, chain, startSha256, bundle, workflow } = run.loaded;
  const tail: Tail = {
    threadId: thread.threadId,
    fence: run.lease.fence,
    startHash: thread.startHash,
    startSha256,
    stateHashes: roleStates(chain).map((state) => state.hash),
    headSha256: thread.headSha256,
  };
  const runtime = engineRuntime({
    cas: engine.cas,
    extract: freeExtract(engine.cas),
    signal: run.signal,
    thread,
    fence: run.lease.fence,
    now: engine.now,
    emit: run.emit,
    runChild: (request): Promise<ChildOutcome> =>
      runChild(engine, { ...request, parent: thread, tail, signal: run.signal }),
  });
  const context = await threadContext(engine.cas, thread, chain);
  return executeThread({
    engine,
    thread,
    tail,
    workflow,
    context,
    runtime,
    roles: new Set(Object.keys(bundle.descriptor.roles)),
    signal: run.signal,
    maxSteps: run.maxSteps,
    endsNext: (steps) =>
      tableEnds(thread, bundle.descriptor, { ...context, steps: [...context.steps, ...steps] }),
    emit: run.emit,
  });
}

/** Only a step that a table led to tells what the table says next; a workflow written by hand is not asked. */
async function tableEnds(
  thread: ThreadRecord,
  descriptor: WorkflowDescriptor,
  context: ThreadContext,
): Promise<boolean> {
  return (await nextRole(thread, descriptor, context)) === END;
}

/** The way out that is not an outcome: the thread can be resumed. Losing the lease leaves nothing to give up. */
async function giveUp(
  engine: Engine,
  lease: Lease,
  reason: Failure,
): Promise<Result<never, Failure>> {
  if (reason.code !== "LEASE_LOST") {
    const to = { status: "idle" } as const;
    await engine.store
      .release({ threadId: lease.threadId, fence: lease.fence, nowMs: engine.now(), to })
      // The storage may be what failed; the reason it failed for is the one worth reporting.
      .catch(() => false);
  }
  return err(reason);
}
