/** What there is room for: the limits of a root compared with what its threads are doing now. Every store uses these
 *  answers, and only counts. */
import type {
  Failure,
  Full,
  Hold,
  LimitKey,
  QueuedThread,
  RootLimits,
  Taken,
} from "@uncaged/workflow-protocol";
import { failure, limitInWords } from "@uncaged/workflow-protocol";
import { dayOf } from "./day.ts";

/** Every day of every zone is a whole number of these. */
export const QUARTER_MS: number = 15 * 60_000;
/** A minute is divided into pieces of this length: whatever happened in one counts until its end is a minute ago. */
export const PIECE_MS = 5_000;
export const MINUTE_MS = 60_000;

/** What a run used within one piece of time. */
export type Piece = { startMs: number; requests: number; tokens: number };

/** Counts, requested only where a limit needs them. */
export type Crowd = {
  pausedSince: number | null;
  /** Threads that have room, by workflow. */
  running: ReadonlyMap<string, number>;
  /** Runs of an agent. */
  runsOf: (agent: string) => number;
  /** What these agents used in the pieces of the last minute, oldest first. */
  lastMinuteOf: (agents: readonly string[]) => readonly Piece[];
  spentSince: (startMs: number) => { tokens: number; costUsd: number };
  /** Those that have not ended. */
  holds: () => readonly Hold[];
};

/** Why a thread of this workflow cannot run now. */
export function fullForThread(
  limits: RootLimits,
  crowd: Crowd,
  { workflow, nowMs }: { workflow: string; nowMs: number },
): Full {
  const paused: LimitKey[] = crowd.pausedSince === null ? [] : ["paused"];
  const budget = budgetLeft(limits, crowd, nowMs);
  const reached = budget.ok ? [] : budget.full;
  const full = [...paused, ...fullBeside(limits, crowd.running, workflow), ...reached];
  return { ok: false, full, againAt: budget.ok ? null : budget.againAt };
}

/** Which limits leave no room for one more thread of this workflow in addition to those that run. */
export function fullBeside(
  { threads, workflows }: RootLimits,
  running: Crowd["running"],
  workflow: string,
): LimitKey[] {
  const all = [...running.values()].reduce((sum, count) => sum + count, 0);
  const most = own(workflows, workflow) ?? Number.POSITIVE_INFINITY;
  return [
    ...(all >= (threads ?? Number.POSITIVE_INFINITY) ? (["threads"] as const) : []),
    ...((running.get(workflow) ?? 0) >= most ? ([`workflow:${workflow}`] as const) : []),
  ];
}

/** Whether an agent can run once more now. */
export function roomForAgent(
  limits: RootLimits,
  crowd: Pick<Crowd, "runsOf" | "lastMinuteOf" | "spentSince" | "holds">,
  { agent, nowMs }: { agent: string; nowMs: number },
): Taken {
  const budget = budgetLeft(limits, crowd, nowMs);
  const full: LimitKey[] = budget.ok ? [] : [...budget.full];
  let againAt = budget.ok ? null : budget.againAt;
  const most = own(limits.agents, agent);
  if (most !== undefined && crowd.runsOf(agent) >= most) full.push(`agent:${agent}`);
  for (const [name, { agents, ...bounds }] of Object.entries(limits.providers)) {
    if (!agents.includes(agent)) continue;
    const free = freeAgainAt(crowd.lastMinuteOf(agents), bounds, nowMs);
    if (free <= nowMs) continue;
    full.push(`provider:${name}`);
    againAt = Math.max(againAt ?? 0, free);
  }
  // Without a time: a person may end a hold at any moment.
  for (const { key, agents } of crowd.holds())
    if (agents.includes(agent) && !full.includes(key)) full.push(key);
  return full.length === 0 ? { ok: true } : { ok: false, full, againAt };
}

/** When enough of the pieces are a minute old; `nowMs` when there is room already. */
function freeAgainAt(
  pieces: readonly Piece[],
  { requestsPerMinute, tokensPerMinute }: Omit<RootLimits["providers"][string], "agents">,
  nowMs: number,
): number {
  const counted = pieces.filter(({ startMs }) => endOf(startMs) > nowMs);
  let requests = counted.reduce((sum, piece) => sum + piece.requests, 0);
  let tokens = counted.reduce((sum, piece) => sum + piece.tokens, 0);
  let at = nowMs;
  for (const piece of counted) {
    const isFree =
      requests < (requestsPerMinute ?? Number.POSITIVE_INFINITY) &&
      tokens < (tokensPerMinute ?? Number.POSITIVE_INFINITY);
    if (isFree) return at;
    requests -= piece.requests;
    tokens -= piece.tokens;
    at = endOf(piece.startMs);
  }
  return at;
}

/** When a whole piece is a minute old. */
function endOf(startMs: number): number {
  return startMs + PIECE_MS + MINUTE_MS;
}

/** When the day of the budget began; null: there is no budget. */
export function budgetSince({ budgetPerDay }: RootLimits, nowMs: number): number | null {
  return budgetPerDay === null ? null : dayOf(nowMs, budgetPerDay.zone).startMs;
}

export function budgetLeft(
  { budgetPerDay }: RootLimits,
  crowd: Pick<Crowd, "spentSince">,
  nowMs: number,
): Taken {
  if (budgetPerDay === null) return { ok: true };
  const { startMs, endMs } = dayOf(nowMs, budgetPerDay.zone);
  const spent = crowd.spentSince(startMs);
  const isLeft =
    spent.tokens < (budgetPerDay.tokens ?? Number.POSITIVE_INFINITY) &&
    spent.costUsd < (budgetPerDay.costUsd ?? Number.POSITIVE_INFINITY);
  return isLeft ? { ok: true } : { ok: false, full: ["budget"], againAt: endMs };
}

/** What counts of a queued thread. */
export type Waiting = Pick<QueuedThread, "threadId" | "workflow"> & {
  queue: Omit<QueuedThread["queue"], "since">;
};

/** The threads of the queue, which is in order, that can start in addition to all that run or are on their way.
 *  `expected`: what threads on their way are going to take first. */
export function nextOf(
  queue: readonly Waiting[],
  { limits, crowd, expected }: { limits: RootLimits; crowd: Crowd; expected: readonly LimitKey[] },
  nowMs: number,
): string[] {
  if (crowd.pausedSince !== null || !budgetLeft(limits, crowd, nowMs).ok) return [];
  const running = new Map(crowd.running);
  const taken = [...expected];
  const next: string[] = [];
  for (const { threadId, workflow, queue: place } of queue) {
    if (place.notBefore !== null && place.notBefore > nowMs) continue;
    const full = fullBeside(limits, running, workflow);
    // Then there is none for the others either.
    if (full.includes("threads")) break;
    if (full.length > 0) continue;
    if (!place.for.every((key) => isFree(key, { limits, crowd, taken }, nowMs))) continue;
    next.push(threadId);
    running.set(workflow, (running.get(workflow) ?? 0) + 1);
    taken.push(...place.for);
  }
  return next;
}

/** Whether the agent or the provider that a thread waited for has room, not counting room that is already promised. */
function isFree(
  key: LimitKey,
  { limits, crowd, taken }: { limits: RootLimits; crowd: Crowd; taken: readonly LimitKey[] },
  nowMs: number,
): boolean {
  const [kind, name = ""] = splitKey(key);
  if (crowd.holds().some((hold) => hold.key === key)) return false;
  const promised = taken.filter((each) => each === key).length;
  if (kind === "agent")
    return crowd.runsOf(name) + promised < (own(limits.agents, name) ?? Number.POSITIVE_INFINITY);
  const provider = kind === "provider" ? own(limits.providers, name) : undefined;
  if (provider === undefined) return true;
  const { agents, ...bounds } = provider;
  const soon = { startMs: nowMs, requests: promised, tokens: 0 };
  return freeAgainAt([...crowd.lastMinuteOf(agents), soon], bounds, nowMs) <= nowMs;
}

function splitKey(key: LimitKey): [kind: string, name?: string] {
  const at = key.indexOf(":");
  return at === -1 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}

/** Whether anything limits how this agent runs. */
export function isLimited({ agents, providers, budgetPerDay }: RootLimits, agent: string): boolean {
  const counts = own(agents, agent) !== undefined || callsLimited({ providers }, agent);
  return counts || budgetPerDay !== null;
}

/** Where an agent takes room when it runs. */
export function keysOf({ providers }: Pick<RootLimits, "providers">, agent: string): LimitKey[] {
  const ofProviders = Object.entries(providers)
    .filter(([, { agents }]) => agents.includes(agent))
    .map(([name]) => `provider:${name}` as const);
  return [`agent:${agent}`, ...ofProviders];
}

/** Whether what this agent uses is counted by the minute. */
export function callsLimited({ providers }: Pick<RootLimits, "providers">, agent: string): boolean {
  return Object.values(providers).some(({ agents }) => agents.includes(agent));
}

/** The beginning of the period of this length that contains a moment. */
export function startOf(nowMs: number, lengthMs: number): number {
  return Math.floor(nowMs / lengthMs) * lengthMs;
}

export function limitReached(threadId: string, keys: readonly LimitKey[]): Failure {
  return failure(
    "LIMIT_REACHED",
    `thread ${threadId} cannot run now: it waits for ${keys.map(limitInWords).join(", ")}`,
    "see what waits, and for what: uncaged-workflow queue",
  );
}

function own<T>(named: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(named, name) ? named[name] : undefined;
}
