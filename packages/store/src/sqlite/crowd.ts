/** What the threads of a root are doing now, counted inside the caller's transaction. */
import type { LimitKey } from "@uncaged/workflow-protocol";
import { type Crowd, MINUTE_MS, PIECE_MS, type Piece } from "../threads/room.ts";
import { holdsAt } from "./holds.ts";
import { queueClosedSince } from "./limits.ts";
import { limitKeys } from "./queue-places.ts";
import { integerOf, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";

export type Counting = {
  nowMs: number;
  /** The thread that asks, which is not counted. null: none. */
  except: string | null;
  /** Whether threads that want their room back count, too. */
  returning: "count" | "do not";
  /** Threads on their way to start. */
  besides?: readonly string[];
};

export function crowdOf(index: ThreadIndex, counting: Counting): Crowd {
  const { nowMs } = counting;
  return {
    pausedSince: queueClosedSince(index),
    running: runningThreads(index, counting),
    runsOf: (agent) => Number(index.sql(RUNS).get({ agent, nowMs })?.runs),
    lastMinuteOf: (agents) => recentPieces(index, agents, nowMs),
    spentSince: (startMs) => spentSince(index, startMs),
    holds: () => holdsAt(index, nowMs),
  };
}

export function spentSince(index: ThreadIndex, startMs: number): ReturnType<Crowd["spentSince"]> {
  const row = index.sql(SPENT).get({ startMs });
  return { tokens: Number(row?.tokens), costUsd: Number(row?.costUsd) };
}

/** What threads on their way waited for and are going to take first. */
export function expectedKeys(
  index: ThreadIndex,
  { nowMs, besides }: { nowMs: number; besides: readonly string[] },
): LimitKey[] {
  const rows = index.sql(EXPECTED).all({ nowMs, besides: JSON.stringify(besides) });
  return rows.flatMap((row) => limitKeys(JSON.parse(textOf(row, "queuedFor"))) ?? []);
}

function runningThreads(
  index: ThreadIndex,
  { nowMs, except, returning, besides = [] }: Counting,
): Map<string, number> {
  const values = {
    nowMs,
    except: except ?? "",
    too: returning === "count" ? "returning" : "held",
    besides: JSON.stringify(besides),
  };
  const rows = index.sql(RUNNING).all(values);
  return new Map(rows.map((row) => [textOf(row, "workflow"), integerOf(row, "threads")]));
}

function recentPieces(index: ThreadIndex, agents: readonly string[], nowMs: number): Piece[] {
  const sinceMs = nowMs - MINUTE_MS - PIECE_MS;
  const rows = index.sql(PIECES).all({ sinceMs, agents: JSON.stringify(agents) });
  return rows.map((row) => ({
    startMs: integerOf(row, "startMs"),
    requests: integerOf(row, "requests"),
    tokens: integerOf(row, "tokens"),
  }));
}

const LEASED = "leasePid IS NOT NULL AND leaseExpiresAt > :nowMs";

const RUNNING = `
  SELECT workflow, count(*) AS threads FROM threads
  WHERE threadId <> :except AND (
    ${LEASED} AND room IN ('held', :too)
    OR threadId IN (SELECT value FROM json_each(:besides)))
  GROUP BY workflow`;

const EXPECTED = `
  SELECT queuedFor FROM threads
  WHERE queuedFor IS NOT NULL
    AND (${LEASED} OR threadId IN (SELECT value FROM json_each(:besides)))`;

const RUNS = `
  SELECT count(*) AS runs FROM agentRuns JOIN threads USING (threadId, fence)
  WHERE agentRuns.agent = :agent AND ${LEASED}`;

const PIECES = `
  SELECT startMs, sum(requests) AS requests, sum(tokens) AS tokens FROM recentUse
  WHERE startMs > :sinceMs AND agent IN (SELECT value FROM json_each(:agents))
  GROUP BY startMs ORDER BY startMs`;

const SPENT = `
  SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(costUsd), 0) AS costUsd
  FROM spentQuarters WHERE startMs >= :startMs`;
