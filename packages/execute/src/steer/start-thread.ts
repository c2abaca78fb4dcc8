import {
  DEFAULT_POOL,
  err,
  type Failure,
  type Limits,
  ok,
  type Result,
  type ThreadLabels,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { readAgain } from "../lease/read-again.ts";
import { wakeHost } from "../runner/ask-host.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import { createThread } from "../start/create-thread.ts";
import { depthBelow } from "../start/depth-below.ts";
import { runnableWorkflow } from "../start/runnable-workflow.ts";
import { sameStart } from "../start/same-start.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { threadsBeside, workspaceBusy } from "../worktrees/neighbours.ts";

export type StartOptions = {
  workflow: string;
  prompt: string;
  /** Absolute directory in which the roles work. */
  cwd: string;
  /** It works in a git worktree of its own, on a branch that begins at `base` (null: HEAD); null: in `cwd` itself; left out:
   *  where the workflow says. */
  worktree?: { base: string | null } | null | undefined;
  /** No other machine may run it, where machines share the root: it works in what only this one has. Default: false. */
  staysHere?: boolean;
  /** Thread whose step starts this one, which limits how deep threads can nest. null, or a thread that is not in this
   *  storage root: none. */
  starter?: string | null;
  /** What it is at least. Default: 0. */
  depth?: number | undefined;
  /** Makes the start idempotent; null: a new thread each time. */
  startKey: string | null;
  /** Override the workflow's own limits; null: use those. */
  limits: Limits | null;
  /** What the thread is called; null: it goes by its prompt. */
  title?: string | null;
  labels?: ThreadLabels;
  /** The queued thread with the highest priority starts first. */
  priority?: number;
  /** Which workers may run it: those of this pool; default: those of the default pool. */
  pool?: string | undefined;
  /** Labels that its worker must have; default: none. */
  needs?: readonly string[] | undefined;
  /** `idle`: the thread is created and waits for `exec` or `resume`. `queue`: it waits for its turn, until `notBefore`
   *  (Unix milliseconds; null: none) at least. */
  run: "background" | "idle" | { queue: { notBefore: number | null } };
};

/** Starts a thread of a registered workflow. With a start key seen before, returns the existing thread; if its starter
 *  died before the runner was up, the runner is started now. Where the limits leave no room the thread is queued. `TARGET_EXISTS` when that thread was started with another
 *  workflow, prompt or limits; `WORKSPACE_BUSY` when the workflow wants to be alone where another thread works. */
export async function startThread(
  engine: Engine,
  opts: StartOptions,
): Promise<Result<ThreadRecord, Failure>> {
  const workflow = await runnableWorkflow(engine, opts.workflow);
  if (!workflow.ok) return workflow;
  const { prompt, cwd, startKey, limits, title = null, labels = {} } = opts;
  const depth = await startDepth(engine, opts);
  if (!depth.ok) return depth;
  const { workspace } = workflow.value;
  const usual = workspace === "worktree" ? { base: null } : null;
  const worktree = opts.worktree === undefined ? usual : opts.worktree;
  if (worktree === null && workspace === "exclusive") {
    const [beside] = await threadsBeside(engine, cwd);
    // With a key the thread may be there already; and one that is queued waits. Their runner looks again.
    if (beside !== undefined && startKey === null && opts.run === "background")
      return err(workspaceBusy(beside, cwd));
  }
  const { thread, created } = await createThread(engine, {
    workflow: workflow.value,
    prompt,
    cwd,
    worktree,
    staysHere: opts.staysHere ?? false,
    limits,
    title,
    labels,
    priority: opts.priority ?? 0,
    pool: opts.pool ?? DEFAULT_POOL,
    needs: opts.needs ?? [],
    ...(typeof opts.run === "object" ? opts.run : {}),
    startKey: startKey === null ? null : `key:${startKey}`,
    depth: Math.max(depth.value, opts.depth ?? 0),
    parent: null,
  });
  if (!created && startKey !== null) {
    const same = await sameStart(engine, thread, {
      workflow: opts.workflow,
      prompt,
      limits,
      startKey,
    });
    if (!same.ok) return same;
  }
  if (typeof opts.run === "object") {
    await wakeHost(engine.root);
    return ok(thread);
  }
  const untouched =
    created || (thread.stepCount === 0 && observedStatus(thread, engine.now()).status === "idle");
  if (opts.run === "idle" || !untouched) return ok(thread);
  const runner = await startRunner(engine, thread.threadId);
  if (!runner.ok && !othersWereFirst(runner.error)) return runner;
  return ok(await readAgain(engine, thread));
}

/** Depth of a thread of this workflow that a step of `starter` starts. `MAX_DEPTH`: deeper than allowed. */
export async function startDepth(
  engine: Pick<Engine, "root" | "cas" | "store">,
  { starter: threadId, workflow }: Pick<StartOptions, "starter" | "workflow">,
): Promise<Result<number, Failure>> {
  const starter = threadId == null ? null : await engine.store.get(threadId);
  return starter === null ? ok(0) : depthBelow(engine, starter, { role: null, workflow });
}
