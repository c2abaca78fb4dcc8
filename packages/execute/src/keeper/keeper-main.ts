/** The worker thread that keeps the leases of its process (started by `thread-keeper`).
 *
 *  1. It evaluates and parses nothing that comes from a workflow or an agent.
 *  2. After an interruption it checks that the main thread responds. A main thread that does not respond is stuck: it
 *     can end neither its agents nor itself, and may never write again. The keeper then ends both.
 *  3. An owner that was replaced gets the same time to notice; after that it is ended.
 *  4. Where other machines use the root, too, the agents of a lease that cannot be renewed are ended before it runs out. */
import { parentPort, workerData } from "node:worker_threads";
import type { Lease, ProcessIdentity } from "@uncaged/workflow-protocol";
import { isShared, killTagged } from "@uncaged/workflow-util";
import { openThreads } from "../place/open-parts.ts";
import { endOwner } from "../processes/end-owner.ts";
import { leaseTag } from "../processes/process-tags.ts";
import { endStuckProcess } from "./end-stuck-process.ts";
import { startHeartbeat } from "./heartbeat.ts";
import type { Interruption } from "./interruption.ts";
import { type FromKeeper, leaseKey, type ToKeeper } from "./keeper-messages.ts";

/** The same time that `stop-thread` waits for a runner. Counted in missed responses, one per second, not by a clock, so
 *  that a process that was frozen gets its full time after it wakes up. */
const ANSWERS_MISSED = 12;
const ASK_EVERY_MS = 1_000;

type Held = { lease: Lease; interrupted: Interruption | null };

const { root }: { root: string } = workerData;
const store = await openThreads(root);
const held = new Map<string, Held>();
const waiting = new Set<NodeJS.Timeout>();
const heartbeat = startHeartbeat({
  ...{ store, now: Date.now, interrupt },
  ...(isShared(root)
    ? { fence: (lease: Lease) => void killTagged({ tag: leaseTag(lease), graceMs: 0 }) }
    : {}),
});
let missed = 0;

parentPort?.on("message", (message: ToKeeper) => {
  if (message.kind === "keep") keep(message);
  else if (message.kind === "drop") drop(leaseKey(message));
  else if (message.kind === "here") missed = 0;
  else void close();
});

const asking = setInterval(() => {
  const interrupted = [...held.values()].filter((each) => each.interrupted !== null);
  if (interrupted.length === 0) return;
  if (missed >= ANSWERS_MISSED) {
    clearInterval(asking);
    void endStuckProcess(interrupted.map(({ lease, interrupted: why }) => ({ lease, why })));
    return;
  }
  missed += 1;
  post({ kind: "ask" });
}, ASK_EVERY_MS);

function keep({ lease, ageMs, replaced }: Extract<ToKeeper, { kind: "keep" }>): void {
  held.set(leaseKey(lease), { lease, interrupted: null });
  heartbeat.keep(lease, ageMs);
  if (replaced !== null) endLater(replaced);
}

function interrupt(lease: Lease, reason: Interruption): void {
  const mine = held.get(leaseKey(lease));
  if (mine === undefined || mine.interrupted !== null) return;
  if ([...held.values()].every((each) => each.interrupted === null)) missed = 0;
  mine.interrupted = reason;
  const { threadId, fence } = lease;
  post({ kind: "interrupt", threadId, fence, reason });
}

function endLater(replaced: ProcessIdentity): void {
  const timer = setTimeout(() => {
    waiting.delete(timer);
    endOwner(replaced);
  }, ANSWERS_MISSED * ASK_EVERY_MS);
  waiting.add(timer);
}

function drop(key: string): void {
  const mine = held.get(key);
  if (mine !== undefined) heartbeat.drop(mine.lease);
  held.delete(key);
}

async function close(): Promise<void> {
  heartbeat.stop();
  for (const timer of waiting) clearTimeout(timer);
  clearInterval(asking);
  await store.close();
  parentPort?.close();
}

function post(message: FromKeeper): void {
  parentPort?.postMessage(message);
}
