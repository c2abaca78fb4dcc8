/** What each allowed change makes of a thread: the port's contract as functions of records. */
import {
  type AdoptedThread,
  type AnswerMove,
  DEFAULT_POOL,
  type FinalMove,
  type FinishedThread,
  type Lease,
  type NewThread,
  type OwnerMove,
  type ParkedState,
  type QueuedThread,
  type QueuePlace,
  type RunningThread,
  raisedLimits,
  type SignalKind,
  type Spent,
  type SuspendedThread,
  sumUsage,
  type ThreadFacts,
  type ThreadLabels,
  type ThreadLimits,
  type ThreadRecord,
  type ThreadSteering,
  threadFacts,
  type UnfinishedThread,
  type Wait,
  type Waits,
} from "@uncaged/workflow-protocol";
import { promptLine } from "./thread-words.ts";

export function newThread(thread: NewThread): UnfinishedThread {
  const { nextPrompt = null, limits = null, agent = null, createdAt: updatedAt } = thread;
  const { title = null, labels = {}, prompt = null } = thread;
  const pendingInput = nextPrompt === null ? null : ({ kind: "prompt", text: nextPrompt } as const);
  const names = { title, labels, promptLine: promptLine(prompt), usage: null };
  const { priority = 0, pool = DEFAULT_POOL, needs = [] } = thread;
  const place = { priority, pool, needs };
  const facts = threadFacts({ ...thread, ...names, limits, agent, ...place, updatedAt });
  const queue = newPlace(thread);
  if (queue !== null) return { ...facts, ...NOTHING_ASKED, pendingInput, status: "queued", queue };
  return { ...facts, ...NOTHING_ASKED, pendingInput, status: "idle" };
}

/** null: it is idle. */
export function newPlace({ queue, createdAt }: NewThread): QueuePlace | null {
  return queue === undefined ? null : { since: createdAt, for: [], notBefore: queue.notBefore };
}

export function adoptedThread(thread: AdoptedThread): ThreadRecord {
  const facts = threadFacts({
    ...thread,
    usage: thread.usage ?? null,
    priority: 0,
    pool: DEFAULT_POOL,
    needs: [],
    promptLine: promptLine(thread.prompt ?? null),
  });
  switch (thread.status) {
    case "idle": {
      const { status, pendingInput } = thread;
      return { ...facts, ...NOTHING_ASKED, status, pendingInput };
    }
    case "suspended": {
      const { status, pendingInput, waits } = thread;
      return { ...facts, ...NOTHING_ASKED, status, pendingInput, waits };
    }
    default: {
      const { status, returnCode, summary } = thread;
      return { ...facts, status, returnCode, summary };
    }
  }
}

/** A leftover `stop` was meant for the previous owner. */
export function acquiredThread(thread: UnfinishedThread, lease: Lease): RunningThread {
  const signals = withoutSignal(thread.signals, "stop");
  const updatedAt = lease.acquiredAt;
  return { ...unfinished(thread), signals, updatedAt, status: "running", lease };
}

export function movedThread(thread: RunningThread, move: OwnerMove): RunningThread {
  const at = { ...thread, head: move.to, headSha256: move.toSha256, updatedAt: move.nowMs };
  switch (move.kind) {
    case "append":
      return {
        ...withUsage(at, move.spent),
        stepCount: thread.stepCount + 1,
        ...{ pendingInput: null, replaced: null },
      };
    case "replace":
      return { ...withUsage(at, move.spent), pendingInput: null, replaced: headOf(thread) };
    case "upgrade":
      return { ...at, bundleHash: move.bundleHash, replaced: null };
    case "note":
      return { ...at, replaced: null };
  }
}

function withUsage<Thread extends ThreadFacts>(thread: Thread, spent: Spent | null = null): Thread {
  return spent === null ? thread : { ...thread, usage: sumUsage(thread.usage, spent.usage) };
}

/** A person's step, which consumes what had been said to the next role. */
export function answeredInPerson(thread: SuspendedThread, move: AnswerMove): UnfinishedThread {
  const { to: head, toSha256: headSha256, nowMs: updatedAt, waits } = move;
  const steering = { pendingInput: null, replaced: null, signals: thread.signals };
  const stepCount = thread.stepCount + 1;
  const at = { ...threadFacts(thread), ...steering, head, headSha256, stepCount, updatedAt };
  return hasWaits(waits) ? { ...at, status: "suspended", waits } : { ...at, status: "idle" };
}

function hasWaits(waits: readonly Wait[]): waits is Waits {
  return waits.length > 0;
}

export function finishedThread(thread: RunningThread, move: FinalMove): FinishedThread {
  const { status, returnCode, summary, to: head, toSha256: headSha256, nowMs: updatedAt } = move;
  const facts = withUsage(threadFacts(thread), move.spent);
  return { ...facts, head, headSha256, updatedAt, status, returnCode, summary };
}

export function parkedThread(
  thread: RunningThread,
  { to, nowMs: updatedAt }: { to: ParkedState; nowMs: number },
): UnfinishedThread {
  const at = { ...unfinished(thread), updatedAt };
  if (to.status === "queued") return { ...at, ...to };
  if (to.status !== "suspended") return { ...at, status: to.status };
  return { ...at, status: to.status, waits: to.waits };
}

/** A thread that is already queued keeps its place. */
export function queuedThread(
  thread: UnfinishedThread,
  want: { for: QueuePlace["for"]; notBefore: number | null; nowMs: number },
): QueuedThread {
  const { notBefore, nowMs: updatedAt } = want;
  const since = thread.status === "queued" ? thread.queue.since : updatedAt;
  const queue = { since, for: want.for, notBefore };
  return { ...unfinished(thread), updatedAt, status: "queued", queue };
}

export function withoutPlace(thread: QueuedThread, updatedAt: number): UnfinishedThread {
  return { ...unfinished(thread), updatedAt, status: "idle" };
}

/** The newest input of a person is the one that counts. */
export function answeredThread(
  thread: SuspendedThread,
  { text, nowMs: updatedAt }: { text: string; nowMs: number },
): UnfinishedThread {
  const pendingInput = { kind: "answer", role: thread.waits[0].role, text } as const;
  return { ...unfinished(thread), updatedAt, pendingInput, status: "idle" };
}

/** A thread that waits because of a limit no longer waits. */
export function raisedThread(
  thread: UnfinishedThread,
  raise: { limits: ThreadLimits; nowMs: number },
): UnfinishedThread {
  const changes = { limits: raisedLimits(thread.limits, raise.limits), updatedAt: raise.nowMs };
  if (thread.status !== "suspended" || thread.waits[0].kind !== "limit")
    return { ...thread, ...changes };
  return { ...unfinished(thread), ...changes, status: "idle" };
}

export function withSignal(signals: readonly SignalKind[], added: SignalKind): SignalKind[] {
  return SIGNAL_ORDER.filter((kind) => kind === added || signals.includes(kind));
}

export function withoutSignal(signals: readonly SignalKind[], cleared: SignalKind): SignalKind[] {
  return signals.filter((kind) => kind !== cleared);
}

/** The order in which pending signals are listed. */
export const SIGNAL_ORDER: readonly SignalKind[] = ["pause", "stop", "kill"];

const NOTHING_ASKED: ThreadSteering = { pendingInput: null, replaced: null, signals: [] };

/** The fields of an unfinished thread that do not depend on its status. */
function unfinished(thread: UnfinishedThread): ThreadFacts & ThreadSteering {
  const { pendingInput, replaced, signals } = thread;
  return { ...threadFacts(thread), pendingInput, replaced, signals };
}

function headOf({ head, headSha256 }: ThreadFacts): ThreadSteering["replaced"] {
  return { head, headSha256 };
}

export function changedLabels(
  labels: ThreadLabels,
  { set, unset }: { set: ThreadLabels; unset: readonly string[] },
): ThreadLabels {
  const kept = Object.entries(labels).filter(([key]) => !unset.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}
