/** Usage since the last stored step of a thread, by attempts that were killed or stopped before they produced a step.
 *
 *  1. It is read from the live log, where the owner flushes events about attempts and their cost immediately.
 *  2. It counts from the event of the last step; if the log lacks that event, it counts by time.
 *  3. If the oldest events were rotated away, whatever is left counts.
 *  4. Members of a group run side by side, so while the last steps are members, it counts from the step before them
 *     and leaves out what each member did before it was stored: by its event, or by time as in 2. */
import {
  isSameGroup,
  type LiveEvent,
  type LiveLog,
  type LiveRecord,
  type StepGroup,
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

export type Attempts = {
  /** Number of attempts. */
  begun: number;
  /** What they reported, by role. */
  spent: readonly Unrecorded[];
};

export type LostAttempts = Attempts & {
  /** The same apart, if members of a group are among them: those of each member, by index, and all others. */
  apart?: { members: ReadonlyMap<number, Attempts>; others: Attempts };
};

/** The thread's owner calls this before it begins a step. */
export async function lostAttempts(
  { cas, live }: Pick<Engine, "cas" | "live">,
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head">,
): Promise<LostAttempts> {
  const last = await live.last(thread.threadId);
  if (last === 0) return { begun: 0, spent: [] };
  const { step, members } = await lastStep(cas, thread);
  let events: readonly LiveRecord[] = [];
  for (const after of looksBack(last)) {
    const since = await eventsSince(live, { threadId: thread.threadId, after, step });
    events = since.events;
    if (since.whole) break;
  }
  return summedUp(events.filter((event) => !isBeforeMember(event, members)));
}

/** Whether an event must be flushed before anything else happens, so that a crash does not lose it. */
export function tellsOfCost(event: LiveEvent): boolean {
  if (event.type === "note") return event.usage !== null;
  return event.type === "step_started" || (event.type === "agent" && event.event.type === "usage");
}

type LastStep = { hash: string; timestamp: number } | null;

/** When each member was stored, by index. */
type StoredMembers = ReadonlyMap<number, number>;

/** The one before the group, if the last steps are members of one. */
async function lastStep(
  cas: NodeReader,
  thread: Pick<ThreadRecord, "startHash" | "head">,
): Promise<{ step: LastStep; members: StoredMembers }> {
  let member: StepGroup | undefined;
  const members = new Map<number, number>();
  for await (const state of walkChain(cas, thread)) {
    if (!isRound(state)) continue;
    const { timestamp, group } = state.node.payload;
    const isMember = group !== undefined && (member === undefined || isSameGroup(group, member));
    if (!isMember) return { step: { hash: state.hash, timestamp }, members };
    member = group;
    members.set(group.index, timestamp);
  }
  return { step: null, members };
}

/** Whether its cost is part of the step of a member that is stored. A runner that was killed may not have said so. */
function isBeforeMember(event: LiveRecord, members: StoredMembers): boolean {
  if (!("group" in event) || event.group === undefined) return false;
  return event.timestamp <= (members.get(event.group.index) ?? -1);
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
    } else if (tellsOfCost(item) || isStoredMember(item)) events.push(item);
  }
  if (!sawStep && step !== null) events = events.filter((each) => each.timestamp > step.timestamp);
  return { events, whole: sawStep || sawBefore };
}

function isStoredMember(event: LiveRecord): boolean {
  return event.type === "step_completed" && event.group !== undefined;
}

function summedUp(events: readonly LiveRecord[]): LostAttempts {
  const members = new Map<number, Tally>();
  const others = new Tally();
  for (const event of events) {
    const group = "group" in event ? event.group : undefined;
    if (group === undefined) others.note(event);
    else if (event.type === "step_completed") members.delete(group.index);
    else {
      const tally = members.get(group.index) ?? new Tally();
      members.set(group.index, tally);
      tally.note(event);
    }
  }
  const apart = {
    members: new Map(Array.from(members, ([index, tally]) => [index, tally.attempts()])),
    others: others.attempts(),
  };
  const all = sumAttempts([apart.others, ...apart.members.values()]);
  return members.size === 0 ? all : { ...all, apart };
}

export function sumAttempts(parts: readonly Attempts[]): Attempts {
  const sum = new Tally();
  for (const part of parts) sum.add(part);
  return sum.attempts();
}

class Tally {
  #begun = 0;
  readonly #spent = new Map<string | null, Usage>();

  note(event: LiveRecord): void {
    const told = usageOf(event);
    this.add({ begun: event.type === "step_started" ? 1 : 0, spent: told === null ? [] : [told] });
  }

  add({ begun, spent }: Attempts): void {
    this.#begun += begun;
    for (const { role, usage } of spent) {
      this.#spent.set(role, sumUsage(this.#spent.get(role) ?? null, usage) ?? usage);
    }
  }

  attempts(): Attempts {
    return {
      begun: this.#begun,
      spent: Array.from(this.#spent, ([role, usage]) => ({ role, usage })),
    };
  }
}

function usageOf(event: LiveRecord): Unrecorded | null {
  if (event.type === "note" && event.usage !== null) return { role: null, usage: event.usage };
  if (event.type !== "agent" || event.event.type !== "usage") return null;
  return { role: event.role, usage: event.event.usage };
}
