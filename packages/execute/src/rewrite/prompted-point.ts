/** Where a fork starts when a person supplies the prompt of its first step.
 *
 *  1. After a step, the point is the same: the prompt waits in the index for the next role.
 *  2. Before any step, it becomes the prompt of the thread itself: the fork gets its own start node. */
import { openGroup, pickRoute } from "@uncaged/workflow-moderator";
import {
  END,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { loadChain } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import { threadContext } from "../chain/thread-context.ts";
import { bundleOf } from "../run/load-run.ts";
import { severalAreNext } from "../run/next-prompt.ts";
import { findVersion } from "../start/find-version.ts";
import type { Engine } from "../storage/engine.ts";
import type { PointOfChain } from "./fork-point.ts";
import { promptedStart } from "./prompted-start.ts";

export type Beginning = PointOfChain & {
  startHash: string;
  /** Version to switch to before the first step; null: the one at the point. */
  bundle: string | null;
  isNewStart: boolean;
};

/** Refused: `USAGE` (empty prompt), `TRANSITION_INVALID` (the thread ends there, so there is no next role). */
export async function promptedPoint(
  engine: Engine,
  at: { thread: ThreadRecord; point: PointOfChain; bundle: string | null; prompt: string | null },
): Promise<Result<Beginning, Failure>> {
  const { thread, point, bundle, prompt } = at;
  const { startHash } = thread;
  const beginning: Beginning = { ...point, startHash, bundle, isNewStart: false };
  if (prompt === null) return ok(beginning);
  if (prompt.trim() === "") return err(nothingSaid());
  if (point.stepCount === 0) {
    const start = await readNode(engine.cas, startHash, "start");
    const hash = await promptedStart(engine.cas, start, prompt);
    const version = start.payload.hash;
    const to = bundle ?? (version === point.version ? null : point.version);
    return ok({ startHash: hash, hash, stepCount: 0, version, bundle: to, isNewStart: true });
  }
  // The table decides who is next, and needs all steps so far.
  const chain = await loadChain(engine.cas, { startHash, head: point.hash });
  const version =
    bundle === null
      ? await bundleOf(engine, { bundleHash: point.version }, chain)
      : await findVersion(engine, bundle);
  if (!version.ok) return version;
  const { descriptor, hash } = version.value;
  const context = await threadContext(engine.cas, { ...thread, bundleHash: hash }, chain);
  const { edges } = descriptor.graph;
  const { to, members } = await pickRoute(edges, context);
  const open = openGroup(edges, context.steps);
  if (members !== null || open !== null) return err(severalAreNext(open?.name ?? to));
  return to === END ? err(endsThere(thread.threadId, point.stepCount)) : ok(beginning);
}

function nothingSaid(): Failure {
  return failure(
    "USAGE",
    "the prompt is empty: it is what the next step of the fork is told",
    "give one with: --prompt <text>; or leave it out to use the table's own",
  );
}

function endsThere(threadId: string, step: number): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the table ends thread ${threadId} after step ${step}: there is no next role to tell`,
    `fork it earlier: uncaged-workflow thread fork ${threadId} --from-step ${step - 1} --prompt <text>`,
  );
}
