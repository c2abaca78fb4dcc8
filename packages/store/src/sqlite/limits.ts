/** The limits of a root, and whether its queue is closed: one row each. Opening the queue ends all holds. */
import { NO_LIMITS, parseJson, type RootLimits, toJsonObject } from "@uncaged/workflow-protocol";
import { textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";

export function setLimits(index: ThreadIndex, limits: RootLimits): void {
  index.transaction("set the limits", () => {
    index
      .sql("INSERT OR REPLACE INTO limits VALUES (1, :limits)")
      .run({ limits: JSON.stringify(limits) });
  });
}

export function readLimits(index: ThreadIndex): RootLimits {
  return index.read("read the limits", () => {
    const row = index.sql("SELECT limits FROM limits").get();
    return row === undefined ? NO_LIMITS : known(textOf(row, "limits"));
  });
}

/** They are read at every step, and rarely change. */
let last = { text: "", limits: NO_LIMITS };

function known(text: string): RootLimits {
  if (last.text !== text) last = { text, limits: parsed(text) };
  return last.limits;
}

export function closeQueue(index: ThreadIndex, sinceMs: number): void {
  index.transaction("close the queue", () => {
    index.sql("INSERT OR IGNORE INTO queueClosed VALUES (1, :sinceMs)").run({ sinceMs });
  });
}

export function openQueue(index: ThreadIndex): void {
  index.transaction("open the queue", () => {
    index.sql("DELETE FROM queueClosed").run();
    index.sql("DELETE FROM holds").run();
  });
}

export function queueClosedSince(index: ThreadIndex): number | null {
  return index.read("read whether the queue is closed", () => {
    const row = index.sql("SELECT sinceMs FROM queueClosed").get();
    return row === undefined ? null : Number(row.sinceMs);
  });
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
