/** Creates a thread that nobody runs yet.
 *
 *  Order of effects: its files, in a root that machines share; the prompt and the start node, then what is to be known of its worktree, then the thread. A crash
 *  in between leaves two blobs for gc, and a file that names no thread. */
import { encodeContent, encodeStart } from "@uncaged/workflow-cas";
import {
  type NewThread,
  type ThreadLabels,
  type ThreadLimits,
  type ThreadRecord,
  unwrap,
  type WorkspaceMode,
} from "@uncaged/workflow-protocol";
import { newThreadId } from "@uncaged/workflow-util";
import { digestsOf } from "../chain/digests.ts";
import type { Engine } from "../storage/engine.ts";
import { thisMachine } from "../travel/machine.ts";
import { forgetStartFiles, startFiles } from "../travel/start-files.ts";
import { type PlannedWorktree, planWorktree } from "../worktrees/plan-worktree.ts";
import { forgetWorktree, writeWorktree } from "../worktrees/worktree-record.ts";

/** A workflow version that can be run: its name and its verified bundle. */
export type RunnableWorkflow = {
  name: string;
  hash: string;
  /** SHA-256 (hex) of the bundle file. */
  sha256: string;
  /** Each external package and the version it resolves to in this storage root. */
  externals: { readonly [packageName: string]: string };
  /** Where its threads work. */
  workspace: WorkspaceMode;
};

export type ThreadStart = {
  workflow: RunnableWorkflow;
  prompt: string;
  /** Absolute. */
  cwd: string;
  /** It works in a git worktree of its own, which begins with this; null: in `cwd`. */
  worktree: "as it is" | { base: string | null } | null;
  /** It works in what only this machine has, so no other may run it. Left out: false. */
  staysHere?: boolean;
  /** The same key returns the same thread, however often it is used; null: always a new one. */
  startKey: string | null;
  /** Name in `config.agents` of the agent that plays every role; null: whoever the workflow binds. */
  agent?: string | null;
  /** Override the workflow's own limits; null: use those. */
  limits?: ThreadLimits | null;
  /** What it is called; null: it goes by its prompt. */
  title?: string | null;
  labels?: ThreadLabels;
  /** Default: 0. */
  priority?: number;
  /** Default: the default pool, for any of its workers. */
  pool?: string;
  needs?: readonly string[];
  /** It waits in the queue from the first moment on; left out: it is idle. */
  queue?: NewThread["queue"];
  /** 0: it was not started by a step of another thread. */
  depth: number;
  /** The step that waits for it. */
  parent: { threadId: string; state: string } | null;
};

/** Throws `USAGE` or `GIT_FAILED` when there can be no worktree. */
export async function createThread(
  engine: Engine,
  start: ThreadStart,
): Promise<{ thread: ThreadRecord; created: boolean }> {
  const { workflow, parent, depth } = start;
  const nowMs = engine.now();
  const threadId = newThreadId(nowMs);
  const planned = await plannedFor(engine, start, threadId);
  const files = await startFiles(engine, { threadId, cwd: start.cwd, planned });
  const prompt = encodeContent(start.prompt);
  const parentState = parent?.state ?? null;
  const node = encodeStart(
    {
      name: workflow.name,
      hash: workflow.hash,
      depth,
      parentState,
      externals: workflow.externals,
      digests: {
        ...(parentState === null ? {} : await digestsOf(engine.cas, [parentState])),
        [prompt.hash]: prompt.sha256,
        [workflow.hash]: workflow.sha256,
      },
      ...(files === null ? {} : { files }),
      ...(start.staysHere === true ? { staysOn: await thisMachine(engine.root) } : {}),
    },
    parentState === null ? [prompt.hash] : [prompt.hash, parentState],
  );
  await engine.cas.putBatch([prompt, node]);
  // Before the thread that is to work there: a crash in between leaves a record of a worktree that was never made.
  if (planned !== null) await writeWorktree(engine.root, planned.worktree);
  const made = await engine.store.create(
    {
      threadId,
      workflow: workflow.name,
      bundleHash: workflow.hash,
      startHash: node.hash,
      head: node.hash,
      headSha256: node.sha256,
      stepCount: 0,
      depth,
      parentThread: parent?.threadId ?? null,
      cwd: planned?.cwd ?? start.cwd,
      limits: start.limits ?? null,
      agent: start.agent ?? null,
      title: start.title ?? null,
      labels: start.labels ?? {},
      priority: start.priority ?? 0,
      ...(start.pool === undefined ? {} : { pool: start.pool }),
      needs: start.needs ?? [],
      ...(start.queue === undefined ? {} : { queue: start.queue }),
      prompt: start.prompt,
      forkedFrom: null,
      startedAt: nowMs,
      createdAt: nowMs,
    },
    start.startKey,
  );
  if (planned !== null && !made.created) await forgetWorktree(engine.root, planned.worktree);
  if (files !== null && !made.created) await forgetStartFiles(start.cwd, { threadId, files });
  return made;
}

async function plannedFor(
  engine: Engine,
  { cwd, worktree: from }: ThreadStart,
  threadId: string,
): Promise<PlannedWorktree | null> {
  if (from === null) return null;
  return unwrap(await planWorktree(engine, { threadId, member: null, cwd, from }));
}
