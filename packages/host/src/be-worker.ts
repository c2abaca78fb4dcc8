/** This host as a row among the workers of its root. */
import { hostname } from "node:os";
import type { Engine } from "@uncaged/workflow-execute";
import { WORKER_STALE_MS, type WorkerFacts } from "@uncaged/workflow-protocol";
import { livenessOf, ownIdentity, randomTag } from "@uncaged/workflow-util";

/** Three chances before others think that it is gone. */
const BEAT_EVERY_MS: number = WORKER_STALE_MS / 3;

/** Which threads a host takes. */
export type Serving = Pick<WorkerFacts, "pools" | "labels" | "atOnce" | "version">;

export type OwnRow = {
  worker: string;
  /** Says that it is there, if that is due. Throws `STORAGE_FAILED`. */
  look(): Promise<void>;
  /** Whether somebody asked it to drain. */
  isToDrain(): boolean;
  /** Whether the storage answered lately. */
  isSeen(): boolean;
  /** Takes nothing new from now on. */
  drain(): Promise<void>;
  /** It has ended. */
  remove(): Promise<void>;
};

/** The row is there when this resolves, and those of processes of this machine that have ended are not. */
export async function ownRow(
  { workers, now }: Pick<Engine, "workers" | "now">,
  serving: Serving,
  monotonicMs: () => number = () => performance.now(),
): Promise<OwnRow> {
  const host = hostname();
  const worker = `${nameOf(host)}-${randomTag(6).toLowerCase()}`;
  const facts: WorkerFacts = { worker, process: ownIdentity(), host, ...serving };
  let seenMs = Number.NEGATIVE_INFINITY;
  let isToDrain = false;
  const beat = async (): Promise<void> => {
    // By a clock that no one sets, and from before the answer: as others may see it.
    const atMs = monotonicMs();
    isToDrain = await workers.beat({ ...facts, nowMs: now() });
    seenMs = atMs;
  };
  await beat();
  for (const { worker: each, process } of await workers.list(now()))
    if (livenessOf(process) === "dead") await workers.remove(each);
  return {
    worker,
    look: async () => {
      if (monotonicMs() - seenMs >= BEAT_EVERY_MS) await beat();
    },
    isToDrain: () => isToDrain,
    isSeen: () => monotonicMs() - seenMs < 2 * WORKER_STALE_MS,
    drain: async () => {
      await workers.drain({ worker, nowMs: now() });
    },
    remove: () => workers.remove(worker),
  };
}

/** Of letters that need no quotes in a shell. */
function nameOf(host: string): string {
  return host.replaceAll(/[^A-Za-z0-9.-]/g, "-").slice(0, 48) || "worker";
}
