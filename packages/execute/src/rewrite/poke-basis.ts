/** What the new step of a poke is based on: the states before the old one, and the route that leads to it.
 *
 *  1. An upgrade after the old step is kept: it is written again before the new step, which runs on its version.
 *     Several in a row become one, and those that lead back to the old version become none.
 *  2. It is in the store before anything runs, because a child thread of the new step names it as its parent. */
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  type EncodedNode,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepRoute,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, isNote } from "../chain/chain.ts";
import { routeByTable } from "../chain/poke-route.ts";
import { readBlob, readNode } from "../chain/read-node.ts";
import { threadContext } from "../chain/thread-context.ts";
import { isUpgrade, versionAfter } from "../chain/upgrades.ts";
import type { LoadedRun } from "../run/load-run.ts";
import type { Engine } from "../storage/engine.ts";
import { switchBundle } from "./switch-bundle.ts";

export type PokeBasis = {
  /** The last step, which will be replaced. */
  step: ChainState;
  /** What comes before the new step. */
  chain: Chain;
  /** null: the workflow records none. */
  route: StepRoute | null;
  /** Blobs of the upgrade that was written again. Nothing refers to them yet, so a collection may take them while the
   *  step runs: they have to be published with the step. */
  upgrade: readonly EncodedNode[];
};

/** `TRANSITION_INVALID`: there is no step. Otherwise what `switchBundle` refuses. */
export async function pokeBasis(
  engine: Pick<Engine, "root" | "packagesBase" | "cas" | "now">,
  thread: ThreadRecord,
  { chain, bundle }: Pick<LoadedRun, "chain" | "bundle">,
): Promise<Result<PokeBasis, Failure>> {
  const at = chain.states.findLastIndex((state) => !isUpgrade(state));
  const step = chain.states[at];
  if (step === undefined) return err(nothingToReplace(thread.threadId));
  const before = { ...chain, states: chain.states.slice(0, at) };
  const { route, role } = step.node.payload;
  if (isNote(step) || bundle.descriptor.roles[role]?.coordinates !== undefined)
    return err(coordinated(thread.threadId));
  if (versionAfter(before).hash === bundle.hash)
    return ok({ step, chain: before, route, upgrade: [] });

  const parent = before.states.at(-1)?.hash ?? chain.startHash;
  const parentSha256 = sha256Hex(await readBlob(engine.cas, parent));
  const place = { thread, chain: before, parentSha256, asks: null };
  const switched = await switchBundle(engine, place, bundle);
  if (!switched.ok) return switched;
  const { content, state } = switched.value;
  await engine.cas.putBatch([content, state]);
  const node = await readNode(engine.cas, state.hash, "state");
  const context = await threadContext(engine.cas, thread, before);
  return ok({
    step,
    chain: { ...before, states: [...before.states, { hash: state.hash, node }] },
    route: route === null ? null : await routeByTable(route, bundle.descriptor, context),
    upgrade: [content, state],
  });
}

/** Its workers, and what it was told, are in the chain before it. */
function coordinated(threadId: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the last step of thread ${threadId} coordinates workers, and cannot be replaced`,
    `make it again from the step before: uncaged-workflow thread fork ${threadId} --from-step <n>`,
  );
}

export function nothingToReplace(threadId: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} has no step yet: there is nothing to replace`,
    `run its first step with: uncaged-workflow thread exec ${threadId}`,
  );
}
