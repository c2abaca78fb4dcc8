/** Usage since the last stored step of a thread, by attempts that were killed or stopped before they produced a step.
 *
 *  1. It is read from the live log, where the owner flushes events about attempts and their cost immediately.
 *  2. It counts from the event of the last step; if the log lacks that event, it counts by time.
 *  3. If the oldest events were rotated away, whatever is left counts. */
import {
  type LiveEvent,
  type LiveLog,
  type LiveRecord,
  sumUsage,
  type ThreadRecord,
  type Unrecorded,
  type Usage,
} from "@uncaged/workflow-protocol";
import { looksBack } from "@uncaged/workflow-store";
import type { Engine } from "../storage/engine.ts";
import { isRound } from "./chain.ts";
import type { NodeReader } from "./read-node.ts";
import { walkChain } from "./walk-chain.ts";

export type LostAttempts = {
  /** Number of attempts. */
  begun: number;
  /** What they reported, by role. */
  spent: readonly Unrecorded[];
};

/** The thread's owner calls this before it begins a step. */
export async function lostAttempts(
  { cas, live }: Pick<Engine, "cas" | "live">,
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head">,
): Promise<LostAttempts> {
  const last = await live.last(thread.threadId);
  if (last === 0) return { begun: 0, spent: [] };
  const step = await lastStep(cas, thread);
  let events: readonly LiveRecord[] = [];
  for (const after of looksBack(last)) {
    const since = await eventsSince(live, { threadId: thread.threadId, after, step });
    events = since.events;
    if (since.whole) break;
  }
  return summedUp(events);
}

/** Whether an event must be flushed before anything else happens, so that a crash does not lose it. */
export function tellsOfCost(event: LiveEvent): boolean {
  if (event.type === "note") return event.usage !== null;
  return event.type === "step_started" || (event.type === "agent" && event.event.type === "usage");
}

type LastStep = { hash: string; timestamp: number } | null;

async function lastStep(
  cas: NodeReader,
  thread: Pick<ThreadRecord, "startHash" | "head">,
): Promise<LastStep> {
  for await (const state of walkChain(cas, thread))
    if (isRound(state)) return { hash: state.hash, timestamp: state.node.payload.timestamp };
  return null;
}

/** The events that carry cost. `whole`: they cover everything since the step. */
async function eventsSince(
  live: LiveLog,
  { threadId, after, step }: { threadId: string; after: number; step: LastStep },
): Promise<{ events: LiveRecord[]; whole: boolean }> {
  let events: LiveRecord[] = [];
  let sawStep = false;
  let sawBefore = false;
  const { signal } = new AbortController();
  for await (const item of live.read(threadId, { after, until: "end", signal })) {
    if (item.type === "gap") continue;
    if (step !== null && item.timestamp <= step.timestamp) sawBefore = true;
    if (item.type === "step_completed" && item.stateHash === step?.hash) {
      events = [];
      sawStep = true;
    } else if (tellsOfCost(item)) events.push(item);
  }
  if (!sawStep && step !== null) events = events.filter((each) => each.timestamp > step.timestamp);
  return { events, whole: sawStep || sawBefore };
}

function summedUp(events: readonly LiveRecord[]): LostAttempts {
  const spent = new Map<string | null, Usage>();
  let begun = 0;
  for (const event of events) {
    if (event.type === "step_started") begun += 1;
    const told = usageOf(event);
    if (told === null) continue;
    const { role, usage } = told;
    spent.set(role, sumUsage(spent.get(role) ?? null, usage) ?? usage);
  }
  return { begun, spent: [...spent].map(([role, usage]) => ({ role, usage })) };
}

function usageOf(event: LiveRecord): Unrecorded | null {
  if (event.type === "note" && event.usage !== null) return { role: null, usage: event.usage };
  if (event.type !== "agent" || event.event.type !== "usage") return null;
  return { role: event.role, usage: event.event.usage };
}
