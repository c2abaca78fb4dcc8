/** How threads and runs of agents take room, lend it and give it back. Each is a part of the caller's transaction or one
 *  of its own. */
import type { Dispatch, Full, LeaseRef, RootLimits, Taken } from "@uncaged/workflow-protocol";
import { toWrite } from "../threads/refusals.ts";
import {
  budgetLeft,
  callsLimited,
  fullBeside,
  fullForThread,
  isLimited,
  MINUTE_MS,
  PIECE_MS,
  roomForAgent,
  startOf,
} from "../threads/room.ts";
import { crowdOf, spentSince } from "./crowd.ts";
import { holdsAt } from "./holds.ts";
import { OWNED } from "./lease-columns.ts";
import { readLimits } from "./limits.ts";
import { refused } from "./refused.ts";
import { textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";

/** Why this thread cannot take a lease with room; null: it can. A thread that is taken over never stopped running, so a
 *  closed queue does not keep it; one that was told to end needs no room for that. Part of the caller's transaction. */
export function fullForLease(
  index: ThreadIndex,
  { threadId, nowMs }: { threadId: string; nowMs: number },
): Full | null {
  const row = index
    .sql("SELECT workflow, status, killSignalAt FROM threads WHERE threadId = :threadId")
    .get({ threadId });
  if (row === undefined || row.killSignalAt !== null) return null;
  const crowd = crowdOf(index, { nowMs, except: threadId, returning: "count" });
  const pausedSince = row.status === "running" ? null : crowd.pausedSince;
  const workflow = textOf(row, "workflow");
  const found = fullForThread(readLimits(index), { ...crowd, pausedSince }, { workflow, nowMs });
  return found.full.length === 0 ? null : found;
}

export function lendRoom(index: ThreadIndex, owner: LeaseRef): void {
  index.transaction(`lend the room of thread ${owner.threadId}`, () =>
    setRoom(index, owner, "lent"),
  );
}

type Return = Parameters<Dispatch["takeBack"]>[0];

export function takeRoomBack(index: ThreadIndex, owner: Return): boolean {
  const { threadId, nowMs } = owner;
  return index.transaction(`take the room of thread ${threadId} back`, () => {
    const { workflow } = setRoom(index, owner, "returning");
    const { running } = crowdOf(index, { nowMs, except: threadId, returning: "do not" });
    if (fullBeside(readLimits(index), running, workflow).length > 0) return false;
    setRoom(index, owner, "held");
    return true;
  });
}

/** Part of the caller's transaction. A lease without room stays without it. */
function setRoom(
  index: ThreadIndex,
  owner: LeaseRef,
  to: "held" | "lent" | "returning",
): { workflow: string } {
  const { threadId, fence } = owner;
  const row = index.sql(SET_ROOM).get({ threadId, fence, to });
  if (row === undefined) throw refused(toWrite(getThread(index, threadId), owner), threadId);
  return { workflow: textOf(row, "workflow") };
}

type Take = Parameters<Dispatch["take"]>[0];

export function takeForAgent(index: ThreadIndex, request: Take): Taken {
  const { threadId, fence, part, agent, nowMs } = request;
  return index.transaction(`have an agent run for thread ${threadId}`, () => {
    // Where nothing is limited this writes nothing, and so costs no flush.
    if (index.sql(TOOK).run({ threadId, fence }).changes !== 1) {
      const owned = toWrite(getThread(index, threadId), request);
      if (!owned.ok) throw refused(owned, threadId);
    }
    const limits = readLimits(index);
    const isHeld = holdsAt(index, nowMs).some(({ agents }) => agents.includes(agent));
    if (!isHeld && !isLimited(limits, agent)) return { ok: true };
    const crowd = crowdOf(index, { nowMs, except: null, returning: "count" });
    const room = roomForAgent(limits, crowd, { agent, nowMs });
    if (!room.ok) return room;
    // Runs of expired leases, which no longer counted anyway.
    index.sql(FORGET_ENDED).run();
    index.sql(TAKE).run({ agent, threadId, fence, part });
    if (callsLimited(limits, agent)) note(index, { agent, nowMs, requests: 1, tokens: 0 });
    return room;
  });
}

export function freeOfAgent(
  index: ThreadIndex,
  { threadId, fence, part }: LeaseRef & { part: string },
): void {
  index.transaction(`note that an agent of thread ${threadId} has run`, () => {
    index.sql(FREE).run({ threadId, fence, part });
    index.sql(WANT_BACK).run({ threadId, fence });
  });
}

export function askBudget(index: ThreadIndex, nowMs: number): Taken {
  return index.read("read the budget of the day", () => {
    const limits = readLimits(index);
    if (limits.budgetPerDay === null) return { ok: true };
    return budgetLeft(limits, { spentSince: (startMs) => spentSince(index, startMs) }, nowMs);
  });
}

/** Part of the caller's transaction. */
export function noteTokens(
  index: ThreadIndex,
  used: { agent: string; nowMs: number; tokens: number },
): void {
  const limits: RootLimits = readLimits(index);
  if (callsLimited(limits, used.agent)) note(index, { ...used, requests: 0 });
}

function note(
  index: ThreadIndex,
  use: { agent: string; nowMs: number; requests: number; tokens: number },
): void {
  const { agent, nowMs, requests, tokens } = use;
  index.sql("DELETE FROM recentUse WHERE startMs < :oldMs").run({ oldMs: nowMs - 2 * MINUTE_MS });
  index.sql(NOTE).run({ startMs: startOf(nowMs, PIECE_MS), agent, requests, tokens });
}

const SET_ROOM = `
  UPDATE threads SET room = CASE WHEN room IS NULL THEN NULL ELSE :to END
  WHERE ${OWNED} RETURNING workflow, threadId`;

// From here on, its runs are counted as they begin and end.
const TOOK = `UPDATE threads SET queuedFor = NULL WHERE ${OWNED} AND queuedFor IS NOT NULL`;

const TAKE = "INSERT OR REPLACE INTO agentRuns VALUES (:agent, :threadId, :fence, :part)";
const FREE = "DELETE FROM agentRuns WHERE threadId = :threadId AND fence = :fence AND part = :part";
const WANT_BACK = `UPDATE threads SET room = 'returning' WHERE ${OWNED} AND room = 'lent'`;
const FORGET_ENDED = `
  DELETE FROM agentRuns WHERE NOT EXISTS (
    SELECT 1 FROM threads
    WHERE threads.threadId = agentRuns.threadId AND threads.fence = agentRuns.fence
      AND leasePid IS NOT NULL)`;

const NOTE = `
  INSERT INTO recentUse VALUES (:startMs, :agent, :requests, :tokens)
  ON CONFLICT DO UPDATE SET requests = requests + :requests, tokens = tokens + :tokens`;
