/** The limits of a root, and whether its queue is closed: one row each. Opening the queue ends all holds. */
import { NO_LIMITS, parseJson, type RootLimits, toJsonObject } from "@uncaged/workflow-protocol";
import { change, changing, type Deed, type Operation, one, reading } from "./operation.ts";
import { textOf } from "./thread-columns.ts";

export function setLimits(limits: RootLimits): Deed<void> {
  return changing("set the limits", function* () {
    yield* change(
      "INSERT INTO limits VALUES (1, :limits) ON CONFLICT (id) DO UPDATE SET limits = :limits",
      {
        limits: JSON.stringify(limits),
      },
    );
  });
}

export function readRootLimits(): Deed<RootLimits> {
  return reading("read the limits", readLimits);
}

export function* readLimits(): Operation<RootLimits> {
  const row = yield* one("SELECT limits FROM limits");
  return row === undefined ? NO_LIMITS : known(textOf(row, "limits"));
}

/** They are read at every step, and rarely change. */
let last = { text: "", limits: NO_LIMITS };

function known(text: string): RootLimits {
  if (last.text !== text) last = { text, limits: parsed(text) };
  return last.limits;
}

export function closeQueue(sinceMs: number): Deed<void> {
  return changing("close the queue", function* () {
    yield* change("INSERT INTO queueClosed VALUES (1, :sinceMs) ON CONFLICT DO NOTHING", {
      sinceMs,
    });
  });
}

export function openQueue(): Deed<void> {
  return changing("open the queue", function* () {
    yield* change("DELETE FROM queueClosed");
    yield* change("DELETE FROM holds");
  });
}

export function readClosedSince(): Deed<number | null> {
  return reading("read whether the queue is closed", queueClosedSince);
}

export function* queueClosedSince(): Operation<number | null> {
  const row = yield* one("SELECT sinceMs FROM queueClosed");
  return row === undefined ? null : Number(row.sinceMs);
}

/** Only valid limits count, because another program may have written there. */
function parsed(text: string): RootLimits {
  const stored = toJsonObject(parseJson(text)) ?? {};
  const budget = toJsonObject(stored.budgetPerDay);
  return {
    threads: bound(stored.threads),
    workflows: named(stored.workflows, bound),
    agents: named(stored.agents, bound),
    providers: named(stored.providers, (value) => {
      const provider = toJsonObject(value);
      if (provider === null) return null;
      const agents = Array.isArray(provider.agents) ? provider.agents : [];
      return {
        requestsPerMinute: bound(provider.requestsPerMinute),
        tokensPerMinute: bound(provider.tokensPerMinute),
        agents: agents.filter((agent) => typeof agent === "string"),
      };
    }),
    budgetPerDay:
      typeof budget?.zone === "string"
        ? { tokens: bound(budget.tokens), costUsd: bound(budget.costUsd), zone: budget.zone }
        : null,
  };
}

function bound(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? value : null;
}

function named<T>(value: unknown, read: (value: unknown) => T | null): Record<string, T> {
  const entries = Object.entries(toJsonObject(value) ?? {}).flatMap(([name, each]) => {
    const known = read(each);
    return known === null ? [] : [[name, known] as const];
  });
  return Object.fromEntries(entries);
}
