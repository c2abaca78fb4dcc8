import { sha256Hex } from "@uncaged/workflow-cas";
import {
  type Failure,
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
import { startRunner } from "../runner/start-runner.ts";
import { findVersion } from "../start/find-version.ts";
import type { Engine } from "../storage/engine.ts";
import { placeFiles, placesOf } from "../worktrees/files-here.ts";
import { repositoriesOf } from "../worktrees/repositories.ts";
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
    run: "background" | "idle";
  },
): Promise<Result<Fork, Failure>> {
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
  const { thread: made } = await engine.store.create(
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
      prompt: isNewStart ? prompt : await startPrompt(engine.cas, { startHash }),
      nextPrompt: isNewStart ? null : prompt,
      forkedFrom,
      startedAt: isNewStart ? nowMs : thread.startedAt,
      createdAt: nowMs,
    },
    null,
  );
  // The shared steps' files stay when the old thread is removed. Git that fails here costs no fork: until then they stay.
  for (const repository of await repositoriesOf(engine, made))
    await shareSnapshots(repository, { from: thread.threadId, to: made.threadId });
  if (opts.run === "background") {
    const runner = await startRunner(engine, made.threadId);
    if (!runner.ok) return runner;
  }
  return ok({ thread: made, forkedFrom });
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
