/** The desk of the step under way, if its role coordinates. One step at a time: members of groups do not coordinate. */
import { join } from "node:path";
import type {
  LiveEvent,
  RoleRules,
  RunningThread,
  StepGroup,
  Usage,
  WorkerDesk,
  WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { publishNote } from "../chain/append-note.ts";
import type { Chain } from "../chain/chain.ts";
import type { ChainCursor } from "../chain/chain-cursor.ts";
import { openNotes, type StoredNote } from "../chain/notes.ts";
import { usageOfChain } from "../chain/spent.ts";
import type { Engine } from "../storage/engine.ts";
import { type OpenDesk, openDesk } from "../workers/worker-desk.ts";

/** Where the thread is. A note moves it on. */
export type CursorHand = { now: () => ChainCursor; move: (next: ChainCursor) => void };

export type Coordination = {
  /** undefined: the role does not coordinate. */
  enter: (
    step: { role: string; cwd: string; rules: RoleRules | undefined; group: StepGroup | undefined },
    cursor: CursorHand,
  ) => WorkerDesk | undefined;
  /** The step is over. Returns what its workers used. */
  close: (how: { endsWorkers: boolean }) => Promise<Usage | null>;
};

export function coordination({
  engine,
  thread,
  chain,
  descriptor,
  ...parts
}: {
  engine: Engine;
  thread: RunningThread;
  /** As the run found it. */
  chain: Chain;
  descriptor: WorkflowDescriptor;
  signal: AbortSignal;
  whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
  emit: (event: LiveEvent) => void;
}): Coordination {
  // Of a step that was cut off; the first step goes on with them.
  let left: readonly StoredNote[] = openNotes(chain.states);
  let open: OpenDesk | null = null;
  return {
    enter: ({ role, cwd, rules, group }, cursor) => {
      const notes = left;
      left = [];
      if (rules?.coordinates === undefined || group !== undefined) return undefined;
      open = openDesk({
        ...{ engine, thread, role, cwd, notes, coordinates: rules.coordinates },
        step: cursor.now().rounds,
        scratch: scratchOf(engine.root, thread.threadId),
        signal: parts.signal,
        whileWaiting: parts.whileWaiting,
        purse: async () => {
          const { startHash } = thread;
          const used = await usageOfChain(engine.cas, { startHash, head: cursor.now().head });
          const tokens = used === null ? 0 : used.inputTokens + used.outputTokens;
          return {
            limits: { ...descriptor.limits, ...thread.limits },
            used: { tokens, costUsd: used?.costUsd ?? 0 },
          };
        },
        publish: async (given) => {
          const nowMs = engine.now();
          const { note, cursor: next } = await publishNote(engine, cursor.now(), {
            ...given,
            nowMs,
          });
          cursor.move(next);
          return note;
        },
        tell: (message) =>
          parts.emit({
            threadId: thread.threadId,
            timestamp: engine.now(),
            type: "note",
            about: "worker",
            message,
            usage: null,
          }),
      });
      return open.desk;
    },
    close: async (how) => {
      const closing = open;
      open = null;
      return closing === null ? null : closing.close(how);
    },
  };
}

/** The folder that a coordinator and its workers share. No role has a name with a dot. */
export function scratchOf(root: string, threadId: string): string {
  return join(storagePaths(root).agentHomes(threadId), ".scratch");
}
