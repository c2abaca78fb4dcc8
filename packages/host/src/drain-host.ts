/** Ends a host gracefully: its threads go on elsewhere, with as little lost as there is time for. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OwnRow } from "./be-worker.ts";
import type { Carrier } from "./carry-threads.ts";

const LOOK_EVERY_MS = 100;

/** 1. It takes nothing new, and its row says so.
 *  2. Each thread finishes the step that is under way, and is queued for another worker.
 *  3. When `hurry` aborts, the steps still under way are given up, and begin once more elsewhere.
 *
 *  Resolves when no thread is left, or when `signal` aborts. */
export async function drainHost(
  { row, carrier }: { row: OwnRow; carrier: Pick<Carrier, "handOver" | "count"> },
  { hurry, signal, fault, say }: DrainOptions,
): Promise<void> {
  // Not waited for first: where the storage is slow or away, our own threads rest all the same.
  const noted = row.drain().catch(fault);
  carrier.handOver("soon");
  // After it, so that a step which ends once this was said is the last one of its thread here.
  say(`draining: ${carrier.count()} of its threads go on elsewhere after the step under way`);
  await noted;
  await atRest(AbortSignal.any([signal, hurry]));
  if (carrier.count() > 0 && !signal.aborted) {
    carrier.handOver("now");
    await atRest(signal);
  }

  async function atRest(until: AbortSignal): Promise<void> {
    while (carrier.count() > 0 && !until.aborted) {
      await row.look().catch(fault);
      await sleep(LOOK_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
    }
  }
}

export type DrainOptions = {
  hurry: AbortSignal;
  signal: AbortSignal;
  fault: (thrown: unknown) => void;
  /** Prints a line for people who watch the host. */
  say: (line: string) => void;
};
