/** How threads and runs of agents take room, lend it and give it back. Each is a part of the caller's transaction or one
 *  of its own. */
import {
  type Dispatch,
  type Full,
  type LeaseRef,
  type Placement,
  parseJson,
  type RootLimits,
  type Taken,
} from "@uncaged/workflow-protocol";
import { missingFor } from "../threads/placement.ts";
import { toWrite } from "../threads/refusals.ts";
import {
  budgetLeft,
  callsLimited,
  fullBeside,
  fullForThread,
  isLimited,
  keysOf,
  MINUTE_MS,
  PIECE_MS,
  roomForAgent,
  startOf,
} from "../threads/room.ts";
import { crowdOf, runningThreads, spentToday } from "./crowd.ts";
import { holdsAt } from "./holds.ts";
import { OWNED } from "./lease-columns.ts";
import { readLimits } from "./limits.ts";
import { change, changing, type Deed, type Operation, one, reading, timed } from "./operation.ts";
import { storedNames } from "./queue-places.ts";
import { refused } from "./refused.ts";
import { type NamedRow, textOf } from "./thread-columns.ts";
import { getThread } from "./thread-queries.ts";
import { isBesideOthers, servingOf } from "./workers.ts";

/** Why this thread cannot take a lease with room; null: it can. A thread that is taken over never stopped running, so a
 *  closed queue does not keep it; one that was told to end needs no room for that. Part of the caller's transaction. */
export function* fullForLease({
  threadId,
  nowMs,
  worker,
}: {
  threadId: string;
  nowMs: number;
  /** As in `ThreadStore.acquire`. */
  worker?: string | null;
}): Operation<Full | null> {
  const row = yield* one(STANDING, { threadId });
  if (row === undefined || row.killSignalAt !== null) return null;
  const limits = yield* readLimits();
  const counting = { nowMs, except: threadId, returning: "count" } as const;
  const crowd = yield* crowdOf(counting, { limits, keys: [] });
  const pausedSince = row.status === "running" ? null : crowd.pausedSince;
  const workflow = textOf(row, "workflow");
  const found = fullForThread(limits, { ...crowd, pausedSince }, { workflow, nowMs });
  const serving = yield* servingOf(worker, { except: threadId, nowMs });
  const missing = serving === null ? [] : missingFor(placementOf(row), serving);
  if (missing.length === 0 && found.full.length === 0) return null;
  // Nothing but a worker's own end, or another one, ends the first kind of wait.
  return { ...found, full: [...missing, ...found.full] };
}

function placementOf(row: NamedRow): Placement {
  const { needs } = row;
  const labels = typeof needs === "string" ? storedNames(parseJson(needs)) : [];
  return { pool: textOf(row, "pool"), needs: labels ?? [] };
}

export function lendRoom(owner: LeaseRef): Deed<void> {
  return changing(`lend the room of thread ${owner.threadId}`, function* () {
    yield* setRoom(owner, "lent");
  });
}

type Return = Parameters<Dispatch["takeBack"]>[0];

export function takeRoomBack(owner: Return): Deed<boolean> {
  const { threadId } = owner;
  return changing(`take the room of thread ${threadId} back`, function* () {
    const { nowMs } = yield* timed(owner);
    const { workflow, leaseWorker } = yield* setRoom(owner, "returning");
    const limits = yield* readLimits();
    const counting = { nowMs, except: threadId, returning: "do not" } as const;
    const running = yield* runningThreads(counting);
    if (fullBeside(limits, running, workflow).length > 0) return false;
    if (yield* isBesideOthers(leaseWorker, { except: threadId, nowMs })) return false;
    yield* setRoom(owner, "held");
    return true;
  });
}

/** Part of the caller's transaction. A lease without room stays without it. */
function* setRoom(
  owner: LeaseRef,
  to: "held" | "lent" | "returning",
): Operation<{ workflow: string; leaseWorker: unknown }> {
  const { threadId, fence } = owner;
  const row = yield* one(SET_ROOM, { threadId, fence, to });
  if (row === undefined) throw refused(toWrite(yield* getThread(threadId), owner), threadId);
  return { workflow: textOf(row, "workflow"), leaseWorker: row.leaseWorker };
}

type Take = Parameters<Dispatch["take"]>[0];

export function takeForAgent(request: Take): Deed<Taken> {
  const { threadId, fence, part, agent } = request;
  return changing(`have an agent run for thread ${threadId}`, function* () {
    const { nowMs } = yield* timed(request);
    // Where nothing is limited this writes nothing, and so costs no flush.
    if ((yield* change(TOOK, { threadId, fence })) !== 1) {
      const owned = toWrite(yield* getThread(threadId), request);
      if (!owned.ok) throw refused(owned, threadId);
    }
    const limits = yield* readLimits();
    const isHeld = (yield* holdsAt(nowMs)).some(({ agents }) => agents.includes(agent));
    if (!isHeld && !isLimited(limits, agent)) return { ok: true };
    const counting = { nowMs, except: null, returning: "count" } as const;
    const crowd = yield* crowdOf(counting, { limits, keys: keysOf(limits, agent) });
    const room = roomForAgent(limits, crowd, { agent, nowMs });
    if (!room.ok) return room;
    // Runs of expired leases, which no longer counted anyway.
    yield* change(FORGET_ENDED);
    yield* change(TAKE, { agent, threadId, fence, part });
    if (callsLimited(limits, agent)) yield* note({ agent, nowMs, requests: 1, tokens: 0 });
    return room;
  });
}

export function freeOfAgent({ threadId, fence, part }: LeaseRef & { part: string }): Deed<void> {
  return changing(`note that an agent of thread ${threadId} has run`, function* () {
    yield* change(FREE, { threadId, fence, part });
    yield* change(WANT_BACK, { threadId, fence });
  });
}

export function askBudget(askedMs: number): Deed<Taken> {
  return reading("read the budget of the day", function* () {
    const limits = yield* readLimits();
    // Usually there is none, and nothing more is asked.
    if (limits.budgetPerDay === null) return { ok: true };
    const { nowMs } = yield* timed({ nowMs: askedMs });
    const spent = yield* spentToday(limits, nowMs);
    return budgetLeft(limits, { spentSince: () => spent }, nowMs);
  });
}

/** Part of the caller's transaction. */
export function* noteTokens(used: {
  agent: string;
  nowMs: number;
  tokens: number;
}): Operation<void> {
  const limits: RootLimits = yield* readLimits();
  if (callsLimited(limits, used.agent)) yield* note({ ...used, requests: 0 });
}

function* note(use: {
  agent: string;
  nowMs: number;
  requests: number;
  tokens: number;
}): Operation<void> {
  const { agent, nowMs, requests, tokens } = use;
  const values = { ...pieceOf(nowMs), agent, requests, tokens };
  for (const text of NOTES) yield* change(text, values);
}

const SET_ROOM = `
  UPDATE threads SET room = CASE WHEN room IS NULL THEN NULL ELSE :to END
  WHERE ${OWNED} RETURNING workflow, threadId, leaseWorker`;

const STANDING = `
  SELECT threadId, workflow, status, killSignalAt, pool, needs FROM threads WHERE threadId = :threadId`;

// From here on, its runs are counted as they begin and end.
const TOOK = `UPDATE threads SET queuedFor = NULL WHERE ${OWNED} AND queuedFor IS NOT NULL`;

const TAKE = `
  INSERT INTO agentRuns VALUES (:agent, :threadId, :fence, :part)
  ON CONFLICT (threadId, part, agent) DO UPDATE SET fence = :fence`;
const FREE = "DELETE FROM agentRuns WHERE threadId = :threadId AND fence = :fence AND part = :part";
const WANT_BACK = `UPDATE threads SET room = 'returning' WHERE ${OWNED} AND room = 'lent'`;
const FORGET_ENDED = `
  DELETE FROM agentRuns WHERE NOT EXISTS (
    SELECT 1 FROM threads
    WHERE threads.threadId = agentRuns.threadId AND threads.fence = agentRuns.fence
      AND leasePid IS NOT NULL)`;

/** The piece of time that a moment belongs to, and the oldest that still counts. */
export function pieceOf(nowMs: number): { pieceMs: number; oldMs: number } {
  return { pieceMs: startOf(nowMs, PIECE_MS), oldMs: nowMs - 2 * MINUTE_MS };
}

const NOTE = `
  INSERT INTO recentUse VALUES (:pieceMs, :agent, :requests, :tokens)
  ON CONFLICT (startMs, agent) DO UPDATE SET requests = recentUse.requests + :requests,
    tokens = recentUse.tokens + :tokens`;

/** What an agent used is added to its piece of time. */
export const NOTES: readonly string[] = ["DELETE FROM recentUse WHERE startMs < :oldMs", NOTE];
