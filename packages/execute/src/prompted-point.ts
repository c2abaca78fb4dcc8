/** Where a fork begins whose first step gets its prompt from a person.
 *
 *  1. After a step, the point is the same: the words wait in the index for whoever is next.
 *  2. Before any step, the words are the prompt of the thread itself: a start node of the fork's own. */
import { pickRoute } from "@uncaged/workflow-moderator";
import {
  END,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { findVersion } from "./find-version.ts";
import type { PointOfChain } from "./fork-point.ts";
import { bundleOf } from "./load-run.ts";
import { promptedStart } from "./prompted-start.ts";
import { threadContext } from "./thread-context.ts";
import { versionAfter } from "./upgrades.ts";

export type Beginning = PointOfChain & {
  /** Version to switch to before the first step; null: the one of the point. */
  bundle: string | null;
  isNewStart: boolean;
};

/** Refused: `USAGE` (nothing is said), `TRANSITION_INVALID` (the thread ends there, nobody is left to be told). */
export async function promptedPoint(
  engine: Engine,
  at: { thread: ThreadRecord; point: PointOfChain; bundle: string | null; prompt: string | null },
): Promise<Result<Beginning, Failure>> {
  const { thread, point, bundle, prompt } = at;
  if (prompt === null) return ok({ ...point, bundle, isNewStart: false });
  if (prompt.trim() === "") return err(nothingSaid());
  const { hash: ran } = versionAfter(point.chain);
  if (point.stepCount === 0) {
    const start = await promptedStart(engine.cas, point.chain, prompt);
    const upgraded = versionAfter(start.chain).hash !== ran;
    const to = bundle ?? (upgraded ? ran : null);
    return ok({ ...start, stepCount: 0, bundle: to, isNewStart: true });
  }
  const version =
    bundle === null
      ? await bundleOf(engine, { bundleHash: ran }, point.chain)
      : await findVersion(engine.root, bundle);
  if (!version.ok) return version;
  const { descriptor, hash } = version.value;
  const context = await threadContext(engine.cas, { ...thread, bundleHash: hash }, point.chain);
  const { to } = await pickRoute(descriptor.graph.edges, context);
  if (to === END) return err(endsThere(thread.threadId, point.stepCount));
  return ok({ ...point, bundle, isNewStart: false });
}

function nothingSaid(): Failure {
  return failure(
    "USAGE",
    "the prompt is empty: it is what the next step of the fork is told",
    "give one with: --prompt <text>; or leave it out, and the table's own is taken",
  );
}

function endsThere(threadId: string, step: number): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the table ends thread ${threadId} after step ${step}: nobody is left to be told anything`,
    `fork it earlier: uncaged-workflow thread fork ${threadId} --from-step ${step - 1} --prompt <text>`,
  );
}
