/** What the threads of a root are doing now, counted inside the caller's transaction. */
import type { LimitKey, RootLimits } from "@uncaged/workflow-protocol";
import { budgetSince, type Crowd, MINUTE_MS, PIECE_MS, type Piece } from "../threads/room.ts";
import { holdsAt } from "./holds.ts";
import { queueClosedSince } from "./limits.ts";
import { all, type Operation, one } from "./operation.ts";
import { limitKeys } from "./queue-places.ts";
import { integerOf, textOf } from "./thread-columns.ts";

export type Counting = {
  nowMs: number;
  /** The thread that asks, which is not counted. null: none. */
  except: string | null;
  /** Whether threads that want their room back count, too. */
  returning: "count" | "do not";
  /** Threads on their way to start. */
  besides?: readonly string[];
};

/** `keys`: the agents and providers that will be asked about; the others are not counted. */
export function* crowdOf(
  counting: Counting,
  { limits, keys }: { limits: RootLimits; keys: readonly LimitKey[] },
): Operation<Crowd> {
  const { nowMs } = counting;
  const runs = new Map<string, number>();
  const pieces = new Map<string, readonly Piece[]>();
  for (const key of new Set(keys)) {
    const [agent, provider] = [nameIn(key, "agent:"), nameIn(key, "provider:")];
    if (agent !== null && Object.hasOwn(limits.agents, agent))
      runs.set(agent, Number((yield* one(RUNS, { agent, nowMs }))?.runs));
    if (provider === null || !Object.hasOwn(limits.providers, provider)) continue;
    const agents = limits.providers[provider]?.agents ?? [];
    pieces.set(JSON.stringify(agents), yield* recentPieces(agents, nowMs));
  }
  const pausedSince = yield* queueClosedSince();
  const running = yield* runningThreads(counting);
  const spent = yield* spentToday(limits, nowMs);
  const holds = keys.length === 0 ? [] : yield* holdsAt(nowMs);
  return {
    pausedSince,
    running,
    runsOf: (agent) => runs.get(agent) ?? 0,
    lastMinuteOf: (agents) => pieces.get(JSON.stringify(agents)) ?? [],
    spentSince: () => spent,
    holds: () => holds,
  };
}

/** Of the day of the budget; nothing when there is none. */
export function* spentToday(limits: RootLimits, nowMs: number): Operation<Sum> {
  const startMs = budgetSince(limits, nowMs);
  const row = startMs === null ? undefined : yield* one(SPENT, { startMs });
  return { tokens: Number(row?.tokens ?? 0), costUsd: Number(row?.costUsd ?? 0) };
}

type Sum = ReturnType<Crowd["spentSince"]>;

function nameIn(key: LimitKey, kind: "agent:" | "provider:"): string | null {
  return key.startsWith(kind) ? key.slice(kind.length) : null;
}

/** What threads on their way waited for and are going to take first. */
export function* expectedKeys({
  nowMs,
  besides,
}: {
  nowMs: number;
  besides: readonly string[];
}): Operation<LimitKey[]> {
  const rows = yield* all(EXPECTED, { nowMs, besides: JSON.stringify(besides) });
  return rows.flatMap((row) => limitKeys(JSON.parse(textOf(row, "queuedFor"))) ?? []);
}

export function* runningThreads({
  nowMs,
  except,
  returning,
  besides = [],
}: Counting): Operation<Map<string, number>> {
  const values = {
    nowMs,
    except: except ?? "",
    too: returning === "count" ? "returning" : "held",
    besides: JSON.stringify(besides),
  };
  const rows = yield* all(RUNNING, values);
  return new Map(rows.map((row) => [textOf(row, "workflow"), integerOf(row, "threads")]));
}

function* recentPieces(agents: readonly string[], nowMs: number): Operation<Piece[]> {
  const sinceMs = nowMs - MINUTE_MS - PIECE_MS;
  const rows = yield* all(PIECES, { sinceMs, agents: JSON.stringify(agents) });
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
