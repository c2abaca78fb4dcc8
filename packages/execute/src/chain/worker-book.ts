/** The workers of one coordinating step, as its notes tell: the same notes, the same book. */
import type { CoordinationNote, CoordinatorSession } from "@uncaged/workflow-protocol";
import type { StoredNote } from "./notes.ts";

type Of<Kind extends CoordinationNote["kind"]> = Extract<CoordinationNote, { kind: Kind }>;

export type Worker = Omit<Of<"spawn">, "kind" | "worker" | "limits"> & {
  id: string;
  /** The note in which it was started: its thread begins there. */
  spawn: string;
  /** Hash of what it was asked. */
  prompt: string;
  startedAt: number;
  /** 1, and one more with each message. */
  turn: number;
  /** The last message to it; null: none. */
  message: { steps: number; content: string } | null;
  isStopped: boolean;
  /** Its end of this turn; null: it is under way. */
  ended: (Omit<Of<"ended">, "kind" | "worker"> & { content: string }) | null;
  /** Its thread, once an end named it. */
  threadId: string | null;
};

export type WorkerBook = {
  workers: ReadonlyMap<string, Worker>;
  /** Ends that the coordinator has not been told of, oldest first: `w1.1`, and the notification's hash. */
  untold: readonly { notice: string; content: string }[];
  session: CoordinatorSession | null;
  isBlank: boolean;
};

export function workerBook(notes: readonly StoredNote[]): WorkerBook {
  const workers = new Map<string, Worker>();
  const untold = new Map<string, string>();
  let session: CoordinatorSession | null = null;
  for (const { hash, meta, content, childThread, timestamp } of notes) {
    if (meta.kind === "spawn") {
      const { kind: _, worker: id, limits: __, ...asked } = meta;
      workers.set(id, {
        ...asked,
        ...{ id, spawn: hash, prompt: content, startedAt: timestamp, turn: 1, message: null },
        ...{ isStopped: false, ended: null, threadId: null },
      });
    } else if (meta.kind === "delivered") {
      for (const notice of meta.notices) untold.delete(notice);
    } else if (meta.kind === "turn") {
      const { kind: _, ...turn } = meta;
      session = turn;
    } else {
      const worker = workers.get(meta.worker);
      if (worker === undefined) continue;
      workers.set(meta.worker, after(worker, meta, { content, childThread }));
      if (meta.kind === "ended") untold.set(noticeOf(meta.worker, meta.turn), content);
    }
  }
  return {
    workers,
    untold: Array.from(untold, ([notice, content]) => ({ notice, content })),
    session,
    isBlank: notes.length === 0,
  };
}

export function noticeOf(worker: string, turn: number): string {
  return `${worker}.${turn}`;
}

export function underWay({ workers }: WorkerBook): Worker[] {
  return [...workers.values()].filter(({ ended }) => ended === null);
}

function after(
  worker: Worker,
  meta: Of<"message"> | Of<"stop"> | Of<"ended">,
  { content, childThread }: Pick<StoredNote, "content" | "childThread">,
): Worker {
  switch (meta.kind) {
    case "message":
      return {
        ...worker,
        turn: worker.turn + 1,
        message: { steps: meta.steps, content },
        ended: null,
      };
    case "stop":
      return { ...worker, isStopped: true };
    case "ended": {
      const { kind: _, worker: __, ...ended } = meta;
      const threadId = childThread ?? worker.threadId;
      return { ...worker, ended: { ...ended, content }, threadId };
    }
  }
}
