/** Moves an unfinished thread to another version of its workflow.
 *
 *  1. Nothing runs and nothing in the past changes: the upgrade is one more node of the chain.
 *  2. Whatever the thread waits for (a question, an answer, a closed gate), it waits for afterwards.
 *  3. Order of effects as for a step: the blobs, then the head together with the version in the index. */
import {
  err,
  type Failure,
  failure,
  isFinal,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { OpenedBundle } from "@uncaged/workflow-register";
import { loadChain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import { versionAfter } from "../chain/upgrades.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { parkedState, releaseLease } from "../lease/release-lease.ts";
import { type LeaseHandle, withLease } from "../lease/with-lease.ts";
import { findVersion } from "../start/find-version.ts";
import type { Engine } from "../storage/engine.ts";
import { whereAsked } from "../table/check-threads.ts";
import { observedStatus } from "../watch/observe.ts";
import { parkedWith } from "./parked-with.ts";
import { switchBundle } from "./switch-bundle.ts";

export type Upgrade = {
  threadId: string;
  /** Hashes of the bundles. */
  from: string;
  to: string;
  head: string;
  status: ThreadRecord["status"];
};

/** Refused, with nothing changed: `LEASE_HELD` (running); `TRANSITION_INVALID` (finished, or already at that version);
 *  `UPGRADE_REFUSED` (it would have gone another way); an unknown version. */
export async function upgradeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: {
    /** As `findVersion` takes it; null: the current version of the thread's workflow. */
    to: string | null;
    signal: AbortSignal;
  },
): Promise<Result<Upgrade, Failure>> {
  const { threadId } = thread;
  const { status } = observedStatus(thread, engine.now());
  if (isFinal(status)) return err(finishedRefusal(thread, "it no longer runs any version"));
  if (thread.status === "running" && status === "running")
    return err(running(threadId, thread.lease.process.pid));
  const bundle = await findVersion(engine, opts.to ?? thread.workflow);
  if (!bundle.ok) return bundle;
  return withLease<Upgrade>(engine, {
    threadId,
    signal: opts.signal,
    use: (handle) => publishSwitch(engine, handle, bundle.value),
  });
}

async function publishSwitch(
  engine: Engine,
  { thread, before, lease }: LeaseHandle,
  bundle: OpenedBundle,
): Promise<Result<Upgrade, Failure>> {
  const { threadId, fence } = lease;
  if (thread.head !== before.head) return err(moved(threadId));
  const chain = await loadChain(engine.cas, thread);
  // Taking the lease set the question aside; the proof has to see it.
  const asks = whereAsked(before) ?? whereAsked(thread);
  const place = { thread, chain, parentSha256: thread.headSha256, asks };
  const made = await switchBundle(engine, place, bundle);
  if (!made.ok) return made;
  const { content, state } = made.value;
  await engine.cas.publish([content, state], {
    ...{ kind: "upgrade", bundleHash: bundle.hash },
    ...{ threadId, fence, from: thread.head, to: state.hash, toSha256: state.sha256 },
    nowMs: engine.now(),
  });
  const context = await threadContext(engine.cas, thread, chain);
  const to = await parkedWith(bundle.descriptor, context, parkedState(before));
  const status = await releaseLease(engine, { threadId, fence }, to);
  const from = versionAfter(chain).hash;
  return ok({ threadId, from, to: bundle.hash, head: state.hash, status });
}

function running(threadId: string, pid: number): Failure {
  return failure(
    "LEASE_HELD",
    `thread ${threadId} is run by process ${pid}`,
    `pause or stop it first: uncaged-workflow thread pause ${threadId}`,
  );
}

function moved(threadId: string): Failure {
  return failure(
    "LEASE_HELD",
    `another process made a step of thread ${threadId} meanwhile`,
    "try again once it stops",
  );
}
