/** The workers of one coordinating step while it is under way.
 *
 *  1. Whatever happens is a note of the chain before it has an effect: a worker before its thread, a message before the
 *     worker hears it, an end before anybody is told, and what is told before it is said. After a crash the same notes
 *     make the same book, and what they say is done if it was not yet.
 *  2. So every end is delivered once: it is noted as delivered before the agent is told. If a crash comes in between, the
 *     account that the agent begins with has it.
 *  3. One change after the other: two tools that are called at once see each other's notes.
 *  4. Workers outlive a coordinator that was cut off, but not its step: whatever still runs then is ended. */
import { mkdirSync } from "node:fs";
import {
  type BudgetUse,
  type Coordinates,
  type CoordinatorSession,
  EXIT,
  exitCodeOf,
  failureFrom,
  sumUsage,
  type ThreadRecord,
  type Usage,
  type WorkerDesk,
} from "@uncaged/workflow-protocol";
import type { NewNote } from "../chain/append-note.ts";
import type { StoredNote } from "../chain/notes.ts";
import { readNode } from "../chain/read-node.ts";
import {
  noticeOf,
  underWay,
  type Worker,
  type WorkerBook,
  workerBook,
} from "../chain/worker-book.ts";
import type { Engine } from "../storage/engine.ts";
import { endTree } from "./end-tree.ts";
import { type SeenEnd, untilEnds, workerThread } from "./follow-worker.ts";
import { notificationText, oneLine, tokensOf } from "./notification.ts";
import { coordinatorManners, workerAccount } from "./worker-account.ts";
import { deadlineOf, type Purse, shareOf } from "./worker-limits.ts";
import { workerTools } from "./worker-tools.ts";

export type DeskParts = {
  engine: Engine;
  /** The coordinator's. */
  thread: ThreadRecord;
  role: string;
  /** Where workers work. */
  cwd: string;
  coordinates: Coordinates;
  /** Steps of the thread before this one. */
  step: number;
  /** Read when a worker is to be started. */
  purse: () => Promise<Purse>;
  /** What the step has noted before it was cut off. */
  notes: readonly StoredNote[];
  /** Publishes a note after those before it. */
  publish: (note: NewNote) => Promise<StoredNote>;
  /** Absolute; made here. */
  scratch: string;
  signal: AbortSignal;
  /** Lends the thread's room to the workers. */
  whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
  /** For people who watch. */
  tell: (message: string) => void;
};

export type OpenDesk = {
  desk: WorkerDesk;
  /** The step is over: follows nobody any more, and notes nothing. `endsWorkers`: also ends those that run. Returns what
   *  the workers used. */
  close(how: { endsWorkers: boolean }): Promise<Usage | null>;
};

/** What the tools need of the desk. */
export type DeskHand = {
  engine: Engine;
  coordinates: Coordinates;
  /** Says in the store what all workers may use together. Returns what of it is used up; null: something is left. */
  shareBudget: () => Promise<keyof BudgetUse | null>;
  book: () => WorkerBook;
  /** Runs alone: nothing is noted meanwhile but by itself. */
  alone: <T>(act: () => Promise<T>) => Promise<T>;
  /** Only from inside `alone`. */
  note: (note: NewNote) => Promise<StoredNote>;
  /** Makes sure that the worker runs, and that its end will be noted. Returns its thread. */
  follow: (worker: Worker) => Promise<string>;
  /** null: it has none yet. */
  threadOf: (id: string) => string | null;
};

export function openDesk(parts: DeskParts): OpenDesk {
  const { engine, thread, role, cwd, coordinates, scratch } = parts;
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const notes = [...parts.notes];
  const closing = new AbortController();
  const signal = AbortSignal.any([parts.signal, closing.signal]);
  const threads = new Map<string, string>();
  const followed: Promise<void>[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  let changed = Promise.withResolvers<void>();
  let broken: { cause: unknown } | null = null;

  const book = (): WorkerBook => workerBook(notes);
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const alone = <T>(act: () => Promise<T>): Promise<T> => {
    const acted = turn.then(act);
    turn = acted.catch(() => undefined);
    return acted;
  };
  const note = async (given: NewNote): Promise<StoredNote> => {
    signal.throwIfAborted();
    const stored = await parts.publish(given);
    notes.push(stored);
    wake();
    return stored;
  };
  const endedNote = (worker: Worker, end: SeenEnd, threadId: string | null): NewNote => {
    const { status, summary, result, usage, toolUses, durationMs } = end;
    const { id, title } = worker;
    const used = { tokens: tokensOf(usage), toolUses, durationMs };
    const line = oneLine(summary);
    return {
      meta: { kind: "ended", worker: id, turn: worker.turn, status, summary: line, usage },
      content: notificationText({ worker: id, title, status, summary: line, result, usage: used }),
      childThread: threadId,
    };
  };
  const mustEnd = (id: string): boolean => {
    const now = book();
    const endsAt = deadlineOf(now, coordinates);
    return now.workers.get(id)?.isStopped === true || (endsAt !== null && engine.now() >= endsAt);
  };
  const threadOf = (id: string): string | null =>
    threads.get(id) ?? book().workers.get(id)?.threadId ?? null;
  const shareBudget = async (): Promise<keyof BudgetUse | null> => {
    const budget = shareOf(await parts.purse(), coordinates);
    const workers = [...book().workers.keys()].flatMap((id) => threadOf(id) ?? []);
    const about = { threadId: thread.threadId, step: parts.step, budget, workers };
    const used = await engine.dispatch.shareBudget(about);
    const bounds = ["tokens", "costUsd"] as const;
    return (
      bounds.find((bound) => used[bound] >= (budget[bound] ?? Number.POSITIVE_INFINITY)) ?? null
    );
  };
  // Of a step that was cut off: limits may have been raised since, and an imported thread has none in this store.
  const shared = parts.notes.length === 0 ? Promise.resolve() : shareBudget().then(() => undefined);
  shared.catch(() => undefined);
  const madeThread = async (worker: Worker): Promise<string> => {
    await shared;
    const known = threads.get(worker.id) ?? worker.threadId;
    const threadId =
      known ?? (await workerThread(engine, worker, { parent: thread, role, cwd, scratch }));
    threads.set(worker.id, threadId);
    return threadId;
  };
  const untilEnded = async (worker: Worker, made: Promise<string>): Promise<void> => {
    try {
      const end = await endOf(worker, made);
      const threadId = threads.get(worker.id) ?? null;
      await alone(() => note(endedNote(worker, end, threadId)));
      parts.tell(`${worker.id} (${worker.title}) ${end.status}: ${oneLine(end.summary)}`);
    } catch (thrown) {
      if (signal.aborted) return;
      broken ??= { cause: thrown };
      wake();
    }
  };
  /** A worker that cannot be run has failed; a broken store is no worker's fault. */
  const endOf = async (worker: Worker, made: Promise<string>): Promise<SeenEnd> => {
    try {
      const threadId = await made;
      const rules = { mustEnd: () => mustEnd(worker.id), signal };
      return await untilEnds(engine, { threadId, worker, parent: thread }, rules);
    } catch (thrown) {
      signal.throwIfAborted();
      const { code, message } = failureFrom(thrown, "RUNNER_FAILED");
      if (exitCodeOf(code) === EXIT.storage) throw thrown;
      return { ...NOTHING, status: "failed", summary: message };
    }
  };
  const follow = (worker: Worker): Promise<string> => {
    const made = madeThread(worker);
    followed.push(untilEnded(worker, made));
    return made;
  };

  for (const worker of underWay(book())) follow(worker).catch(() => undefined);
  const tools = workerTools({
    ...{ engine, coordinates, shareBudget, book, alone, note, follow, threadOf },
  });
  const account = async (isSame: boolean): Promise<string> => {
    const { workers, untold } = book();
    const results = [...workers.values()].map(async (worker) => {
      const { id, turn: last, ended } = worker;
      const isTold = !untold.some(({ notice }) => notice === noticeOf(id, last));
      return { ...worker, isTold, result: ended === null ? "" : await textOf(ended.content) };
    });
    return workerAccount(await Promise.all(results), isSame);
  };
  const textOf = async (hash: string): Promise<string> =>
    resultIn((await readNode(engine.cas, hash, "content")).payload);

  const nextMessage = (): Promise<string | null> =>
    alone(async () => {
      const { untold } = book();
      if (untold.length === 0) return null;
      const texts: string[] = [];
      for (const { content } of untold)
        texts.push((await readNode(engine.cas, content, "content")).payload);
      const message = `${texts.join("\n\n")}\n`;
      const notices = untold.map(({ notice }) => notice);
      await note({ meta: { kind: "delivered", notices }, content: message, childThread: null });
      return message;
    });

  const desk: WorkerDesk = {
    tools,
    manners: async () => {
      const manners = coordinatorManners(coordinates, scratch);
      return book().isBlank ? manners : `${manners}\n\n${await account(false)}`;
    },
    session: async () => book().session,
    resumed: () => account(true),
    news: async (ended: CoordinatorSession | null, until: AbortSignal) => {
      const isOver = AbortSignal.any([signal, until]);
      isOver.throwIfAborted();
      // A step that starts no workers is like any other.
      if (ended !== null && book().workers.size > 0)
        await alone(() =>
          note({ meta: { kind: "turn", ...ended }, content: "", childThread: null }),
        );
      const aborted = Promise.withResolvers<void>();
      isOver.addEventListener("abort", () => aborted.resolve(), { once: true });
      while (true) {
        if (broken !== null) throw broken.cause;
        isOver.throwIfAborted();
        const { promise: change } = changed;
        const message = await nextMessage();
        if (message !== null) return message;
        if (underWay(book()).length === 0) return null;
        await parts.whileWaiting(() => Promise.race([change, aborted.promise]));
      }
    },
  };
  return {
    desk,
    async close({ endsWorkers }) {
      const left = endsWorkers ? underWay(book()) : [];
      closing.abort();
      await Promise.all([turn, ...followed]);
      for (const { id } of left) {
        const threadId = threadOf(id);
        // A store that fails here says so with the step's own write.
        if (threadId !== null) await endTree(engine, threadId).catch(() => undefined);
      }
      let used: Usage | null = null;
      for (const { id } of book().workers.values()) {
        const threadId = threadOf(id);
        const worker = threadId === null ? null : await engine.store.get(threadId);
        used = sumUsage(used, worker?.usage ?? null);
      }
      return used;
    },
  };
}

const NOTHING: Omit<SeenEnd, "status" | "summary"> = {
  result: "",
  usage: null,
  toolUses: 0,
  durationMs: 0,
};

/** The result in a notification, as its worker wrote it. */
function resultIn(notification: string): string {
  const [, result = ""] = /<result>([\s\S]*)<\/result>/.exec(notification) ?? [];
  return result.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
