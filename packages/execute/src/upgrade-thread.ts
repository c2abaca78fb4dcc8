/** Moves a live thread to another version of its workflow.
 *
 *  1. Nothing runs and nothing of the past changes: the upgrade is one more node of the chain.
 *  2. What the thread waits for, it waits for afterwards: a question, an answer, a closed gate.
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
import { tailOf } from "./append-step.ts";
import { loadChain } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { findVersion } from "./find-version.ts";
import { finishedRefusal } from "./finished-refusal.ts";
import { observedStatus } from "./observe.ts";
import { ownThread, type Tenancy } from "./own-thread.ts";
import { putDown, restOf } from "./put-down.ts";
import { switchBundle } from "./switch-bundle.ts";
import { versionAfter } from "./upgrades.ts";

export type Upgrade = {
  threadId: string;
  /** Hashes of the bundles. */
  from: string;
  to: string;
  head: string;
  status: ThreadRecord["status"];
};

/** Refused, with nothing changed: `LEASE_HELD` (running); `TRANSITION_INVALID` (finished, or at that version
 *  already); `UPGRADE_REFUSED` (it would have gone another way); a version that is not there. */
export async function upgradeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: {
    /** As `findVersion` takes it; null: what the name of the thread's workflow stands for now. */
    to: string | null;
    signal: AbortSignal;
  },
): Promise<Result<Upgrade, Failure>> {
  const { threadId, lease } = thread;
  const { status } = observedStatus(thread, engine.now());
  if (isFinal(status)) return err(finishedRefusal(thread, "it runs no version any more"));
  if (status === "running") return err(running(threadId, lease?.process.pid ?? 0));
  const bundle = await findVersion(engine.root, opts.to ?? thread.workflow);
  if (!bundle.ok) return bundle;
  return ownThread<Upgrade>(engine, {
    threadId,
    signal: opts.signal,
    use: (tenancy) => publishSwitch(engine, tenancy, bundle.value),
  });
}

async function publishSwitch(
  engine: Engine,
  { thread, before, lease }: Tenancy,
  bundle: OpenedBundle,
): Promise<Result<Upgrade, Failure>> {
  const { threadId, fence } = lease;
  if (thread.head !== before.head) return err(moved(threadId));
  const chain = await loadChain(engine.cas, thread);
  const tail = tailOf(thread, chain, fence);
  // The lease has put the question aside; the proof has to see it.
  const asked = { ...thread, suspended: before.suspended };
  const made = await switchBundle(engine, { thread: asked, chain, tail }, bundle);
  if (!made.ok) return made;
  const { content, state } = made.value;
  await engine.publish([content, state], {
    ...{ threadId, fence, from: tail.head, to: state.hash, toSha256: state.sha256 },
    stepCount: thread.stepCount,
    nowMs: engine.now(),
    bundleHash: bundle.hash,
  });
  const status = await putDown(engine, { threadId, fence }, restOf(before));
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
    "try again once it rests",
  );
}
