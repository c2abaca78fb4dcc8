import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  type Limits,
  ok,
  type Result,
  raisedLimits,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { newThreadId } from "@uncaged/workflow-util";
import { shareSnapshots } from "@uncaged/workflow-workspace";
import { loadChain, startPrompt } from "../chain/chain.ts";
import { readBlob } from "../chain/read-node.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import { findVersion } from "../start/find-version.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { dropImported, placeFiles, placesOf } from "../worktrees/files-here.ts";
import { repositoriesOf } from "../worktrees/repositories.ts";
import { takeBackWorktrees } from "../worktrees/take-back.ts";
import { forgetWorktree } from "../worktrees/worktree-record.ts";
import { type ForkFiles, filesOfFork } from "./files-of-fork.ts";
import { type ForkPoint, findPoint } from "./fork-point.ts";
import { type Beginning, promptedPoint } from "./prompted-point.ts";
import { switchBundle } from "./switch-bundle.ts";

export type Fork = { thread: ThreadRecord; forkedFrom: { threadId: string; stateHash: string } };

/** Creates a new thread that shares the old one's nodes up to and including the fork point and continues from there,
 *  with the version that the old thread ran there unless another is given. No node is copied. The old thread may be in
 *  any state and is not touched. Refused: what `switchBundle` refuses of another version. */
export async function forkThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: {
    from: ForkPoint;
    /** Name in `config.agents` of the agent that runs every further step; null: as in the old thread. */
    agent: string | null;
    /** Added to those of the old thread; null: none. */
    limits: Limits | null;
    /** Version to continue with, as `findVersion` takes it; null: the one at that point. */
    bundle: string | null;
    /** What the next role is told instead of the edge's prompt. Before any step it is the prompt of the new thread,
     *  which then shares nothing with the old one. null: as in the old thread. */
    prompt: string | null;
    files: ForkFiles;
    /** The same key returns the same fork of this thread; null: a new one each time. */
    startKey: string | null;
    run: "background" | "idle";
  },
): Promise<Result<Fork, Failure>> {
  const startKey = opts.startKey === null ? null : `fork:${thread.threadId}:${opts.startKey}`;
  // Before anything is made, a worktree above all.
  const earlier = startKey === null ? null : await engine.store.startedWith(startKey);
  if (earlier !== null) return forkedBefore(engine, { thread, fork: earlier }, opts);
  const point = await findPoint(engine.cas, thread, opts.from);
  if (!point.ok) return point;
  const forkedFrom = { threadId: thread.threadId, stateHash: point.value.hash };
  const { prompt, bundle } = opts;
  const beginning = await promptedPoint(engine, { thread, point: point.value, prompt, bundle });
  if (!beginning.ok) return beginning;
  const { isNewStart, stepCount, startHash } = beginning.value;
  const first = await standsAt(engine, { thread, ...beginning.value });
  if (!first.ok) return first;
  const nowMs = engine.now();
  const threadId = newThreadId(nowMs);
  // Before the thread that is to work there: a crash in between leaves a worktree, which `workspace list` shows.
  await placeFiles(engine.root, threadId, await placesOf(engine.root, thread.threadId));
  const { files } = opts;
  const place = { startHash, head: beginning.value.hash, threadId, files };
  const cwd = await filesOfFork(engine, thread, place);
  if (!cwd.ok) return cwd;
  const { thread: made, created } = await engine.store.create(
    {
      threadId,
      workflow: thread.workflow,
      startHash,
      ...first.value,
      stepCount,
      depth: thread.depth,
      parentThread: null,
      cwd: cwd.value,
      limits: opts.limits === null ? thread.limits : raisedLimits(thread.limits, opts.limits),
      agent: opts.agent ?? thread.agent,
      title: thread.title,
      labels: thread.labels,
      priority: thread.priority,
      pool: thread.pool,
      needs: thread.needs,
      prompt: isNewStart ? prompt : await startPrompt(engine.cas, { startHash }),
      nextPrompt: isNewStart ? null : prompt,
      forkedFrom,
      startedAt: isNewStart ? nowMs : thread.startedAt,
      createdAt: nowMs,
    },
    startKey,
  );
  if (!created) {
    // Somebody forked with this key at the same moment.
    await takeBackWorktrees(engine, { threadId, startHash, head: first.value.head });
    await dropImported(engine.root, threadId);
    await forgetWorktree(engine.root, { threadId, member: null });
    return forkedBefore(engine, { thread, fork: made }, opts);
  }
  // The shared steps' files stay when the old thread is removed. Git that fails here costs no fork: until then they stay.
  for (const repository of await repositoriesOf(engine, made))
    await shareSnapshots(repository, { from: thread.threadId, to: made.threadId });
  if (opts.run === "background") {
    const runner = await startRunner(engine, made.threadId);
    if (!runner.ok) return runner;
  }
  return ok({ thread: made, forkedFrom });
}

/** A fork that was made with the same key. Its runner is started if whoever made it died before that. */
async function forkedBefore(
  engine: Engine,
  { thread, fork }: { thread: ThreadRecord; fork: ThreadRecord },
  opts: {
    from: ForkPoint;
    agent: string | null;
    startKey: string | null;
    run: "background" | "idle";
  },
): Promise<Result<Fork, Failure>> {
  const point = await findPoint(engine.cas, thread, opts.from);
  if (!point.ok) return point;
  const forkedFrom = fork.forkedFrom ?? { threadId: thread.threadId, stateHash: point.value.hash };
  // Whoever names no step means the head, and the thread may have gone on.
  const isElsewhere = opts.from.kind !== "head" && point.value.hash !== forkedFrom.stateHash;
  const isOther = fork.agent !== (opts.agent ?? thread.agent);
  if (isElsewhere || isOther)
    return err(
      failure(
        "TARGET_EXISTS",
        `the key ${JSON.stringify(opts.startKey)} belongs to fork ${fork.threadId}, which ${isElsewhere ? "begins at another step" : "has another agent"}`,
        `nothing was started; give another key, or see what it does: uncaged-workflow thread show ${fork.threadId}`,
      ),
    );
  if (opts.run === "background") {
    const started = await startFork(engine, fork);
    if (!started.ok) return started;
  }
  return ok({ thread: fork, forkedFrom });
}

/** Starts the runner of a fork that nobody has touched yet. */
export async function startFork(
  engine: Engine,
  fork: ThreadRecord,
): Promise<Result<null, Failure>> {
  const isUntouched =
    fork.updatedAt === fork.createdAt && observedStatus(fork, engine.now()).status === "idle";
  if (!isUntouched) return ok(null);
  const runner = await startRunner(engine, fork.threadId);
  return runner.ok || othersWereFirst(runner.error) ? ok(null) : runner;
}

/** The fork's first head: the fork point, or an upgrade after it, which is stored before the fork refers to it. */
async function standsAt(
  engine: Engine,
  at: { thread: ThreadRecord } & Beginning,
): Promise<Result<Pick<ThreadRecord, "head" | "headSha256" | "bundleHash">, Failure>> {
  const { startHash, hash, version } = at;
  const headSha256 = sha256Hex(await readBlob(engine.cas, hash));
  const present = { head: hash, headSha256, bundleHash: version };
  if (at.bundle === null) return ok(present);
  const bundle = await findVersion(engine, at.bundle);
  if (!bundle.ok) return bundle;
  if (bundle.value.hash === version) return ok(present);
  const chain = await loadChain(engine.cas, { startHash, head: hash });
  // A fork waits for nothing that the old thread waits for.
  const place = { thread: at.thread, chain, parentSha256: headSha256, asks: null };
  const made = await switchBundle(engine, place, bundle.value);
  if (!made.ok) return made;
  const { content, state } = made.value;
  await engine.cas.putBatch([content, state]);
  return ok({ head: state.hash, headSha256: state.sha256, bundleHash: bundle.value.hash });
}
