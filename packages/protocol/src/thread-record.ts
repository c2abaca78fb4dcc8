import type { QueuePlace } from "./dispatch.ts";
import type { ThreadLimits } from "./limits.ts";
import type { Usage } from "./step-run.ts";
import { type FinalStatus, isFinal, type ThreadStatus } from "./thread-status.ts";
import type { Wait, Waits } from "./wait.ts";

/** Which process, beyond doubt: a pid alone is reused. */
export type ProcessIdentity = {
  pid: number;
  /** Opaque start time of the process as its system reports it; compared for equality only. */
  startedAt: string;
  /** Boot and pid namespace; a pid from another one says nothing here. */
  bootId: string;
};

/** Who may write a thread. A higher fence means a later owner; every write names its fence. */
export type Lease = {
  threadId: string;
  fence: number;
  process: ProcessIdentity;
  /** Unix milliseconds, all three. */
  acquiredAt: number;
  heartbeatAt: number;
  expiresAt: number;
};

/** What another process asks of a thread's runner. `pause` stays until the gate opens again. */
export type SignalKind = "pause" | "stop" | "kill";

/** What a person said to the next step, which takes it: the answer to the role that asked, or a prompt for whoever the
 *  table names, in place of the edge's. */
export type PendingInput =
  | { kind: "answer"; role: string; text: string }
  | { kind: "prompt"; text: string };

/** What a person sorts threads by. */
export type ThreadLabels = { readonly [key: string]: string };

/** What every thread has, whatever its status. */
export type ThreadFacts = {
  threadId: string;
  workflow: string;
  bundleHash: string;
  startHash: string;
  /** The last node of the chain; the start node before the first step. */
  head: string;
  /** SHA-256 (hex) of the head's bytes: commits to the whole thread. */
  headSha256: string;
  /** Role results in the chain; the end node is not one. */
  stepCount: number;
  depth: number;
  /** Thread whose step runs this one as its child. */
  parentThread: string | null;
  /** Directory that roles work in unless a route says otherwise; absolute. */
  cwd: string;
  /** Bounds that the thread was started with or that were raised since; null: those of its workflow. */
  limits: ThreadLimits | null;
  /** Name in `config.agents` of the agent that plays every role; null: whoever the workflow binds. */
  agent: string | null;
  /** Its name, if it was given one when it was started; null: the prompt stands for it. Forks keep it. */
  title: string | null;
  /** The first line of its prompt, cut; null for threads of versions that did not store it. */
  promptLine: string | null;
  /** Its labels. Forks keep them. */
  labels: ThreadLabels;
  /** Of queued threads, that with the highest starts first; 0 unless somebody said otherwise. Forks and children have
   *  that of their thread. */
  priority: number;
  /** Which workers may run it: those of this pool. Forks and children have that of their thread. */
  pool: string;
  /** Labels that its worker must have. */
  needs: readonly string[];
  /** What was used for it, replaced steps and attempts without a step included; null: nobody reported anything, or an
   *  older version ran it. A fork begins with nothing, an import with what its steps say. */
  usage: Usage | null;
  forkedFrom: { threadId: string; stateHash: string } | null;
  /** Unix milliseconds. `startedAt` is kept by forks, so that rules see what the original saw. */
  startedAt: number;
  createdAt: number;
  updatedAt: number;
};

/** What a thread has as long as it has not ended. */
export type ThreadSteering = {
  pendingInput: PendingInput | null;
  /** The step that a poke replaced last, kept until the next step is published. */
  replaced: { head: string; headSha256: string } | null;
  signals: readonly SignalKind[];
};

type Unfinished<Standing> = ThreadFacts & ThreadSteering & Standing;

type IdleThread = Unfinished<{ status: "idle" }>;
export type QueuedThread = Unfinished<{ status: "queued"; queue: QueuePlace }>;
/** As written by its owner, who may have died since: readers compute the rest from `lease`. */
export type RunningThread = Unfinished<{ status: "running"; lease: Lease }>;
type PausedThread = Unfinished<{ status: "paused" }>;
export type SuspendedThread = Unfinished<{ status: "suspended"; waits: Waits }>;
export type UnfinishedThread =
  | IdleThread
  | QueuedThread
  | RunningThread
  | PausedThread
  | SuspendedThread;

/** How a thread ended. */
export type ThreadEnding = { status: FinalStatus; returnCode: number; summary: string };
export type FinishedThread = ThreadFacts & ThreadEnding;

/** All that is mutable about a thread, by its status as last written. */
export type ThreadRecord = UnfinishedThread | FinishedThread;

/** Fields that may be left out for a new thread, which then has none. */
type Optional = "limits" | "agent" | "title" | "labels" | "priority" | "pool" | "needs";

/** What a storage root itself derives for a thread. */
type OfThisRoot = "promptLine" | "usage" | "priority" | "pool" | "needs";

export type NewThread = Omit<ThreadFacts, Optional | "promptLine" | "usage" | "updatedAt"> &
  Partial<Pick<ThreadFacts, Optional>> & {
    /** What the thread was asked; it is found by these words. */
    prompt?: string | null;
    /** What a person says to whoever the table names first, in place of the edge's prompt. */
    nextPrompt?: string | null;
    /** Its place in the queue from the start; left out: it is idle. */
    queue?: Pick<QueuePlace, "notBefore">;
  };

/** A thread that was created in another storage root, in a state in which nobody ran it. */
export type ThreadCopy = Omit<ThreadFacts, OfThisRoot> &
  (
    | { status: "idle"; pendingInput: PendingInput | null }
    | { status: "suspended"; pendingInput: PendingInput | null; waits: Waits }
    | ThreadEnding
  );

export function isFinished(thread: ThreadRecord): thread is FinishedThread {
  return isFinal(thread.status);
}

/** What a thread is called: its title, or else the first line of its prompt. */
export function titleOf({
  title,
  promptLine,
}: Pick<ThreadFacts, "title" | "promptLine">): string | null {
  return title ?? promptLine;
}

/** How it ended; null while it has not. */
export function endingOf(
  thread: ThreadEnding | { status: Exclude<ThreadStatus, FinalStatus> },
): ThreadEnding | null {
  if (!("returnCode" in thread)) return null;
  const { status, returnCode, summary } = thread;
  return { status, returnCode, summary };
}

/** Who runs it, or was last known to; null: nobody. */
export function leaseOf(thread: ThreadRecord): Lease | null {
  return thread.status === "running" ? thread.lease : null;
}

/** All that it waits for; empty: nothing. */
export function waitsOf(thread: ThreadRecord | ThreadCopy): readonly Wait[] {
  return thread.status === "suspended" ? thread.waits : [];
}

/** What it waits for first; null: nothing. */
export function suspensionOf(thread: ThreadRecord | ThreadCopy): Wait | null {
  return waitsOf(thread)[0] ?? null;
}

/** Its place in the queue; null: it is not queued. */
export function queuePlaceOf(thread: ThreadRecord): QueuePlace | null {
  return thread.status === "queued" ? thread.queue : null;
}

/** What its next step takes; null: nothing, or no step comes. */
export function pendingInputOf(thread: ThreadRecord | ThreadCopy): PendingInput | null {
  return "pendingInput" in thread ? thread.pendingInput : null;
}

/** Only those fields of a thread that do not depend on its status. */
export function threadFacts(thread: ThreadFacts): ThreadFacts {
  const { promptLine, usage, priority, pool, needs } = thread;
  return { ...copiedFacts(thread), promptLine, usage, priority, pool, needs };
}

/** The same without the fields that each storage root derives itself. */
export function copiedFacts(thread: Omit<ThreadFacts, OfThisRoot>): Omit<ThreadFacts, OfThisRoot> {
  return {
    threadId: thread.threadId,
    workflow: thread.workflow,
    bundleHash: thread.bundleHash,
    startHash: thread.startHash,
    head: thread.head,
    headSha256: thread.headSha256,
    stepCount: thread.stepCount,
    depth: thread.depth,
    parentThread: thread.parentThread,
    cwd: thread.cwd,
    limits: thread.limits,
    agent: thread.agent,
    title: thread.title,
    labels: thread.labels,
    forkedFrom: thread.forkedFrom,
    startedAt: thread.startedAt,
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
  };
}
