/** Limits from the index: only valid ones are accepted, because another program may have written there. */
import type { Limits, ReachedLimit, ThreadLimits } from "@uncaged/workflow-protocol";

export function storedLimits(stored: string | null): ThreadLimits | null {
  const found = stored === null ? null : parsed(stored);
  if (found === null) return null;
  const roles = Object.entries(objectIn(found.roles) ?? {}).flatMap(([role, limits]) => {
    const ofRole = objectIn(limits);
    return ofRole === null ? [] : [[role, boundsIn(ofRole)] as const];
  });
  return {
    ...boundsIn(found),
    ...(roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
  };
}

/** Empty for a question, and for a limit that an older version wrote. */
export function reachedLimit(stored: string | null): { limit?: ReachedLimit } {
  const found = stored === null ? null : parsed(stored);
  if (found === null) return {};
  const { role, bound, limit, used } = found;
  const known = BOUNDS.find((each) => each === bound);
  if (known === undefined || !isBound(limit) || typeof used !== "number") return {};
  return { limit: { role: typeof role === "string" ? role : null, bound: known, limit, used } };
}

const BOUNDS = ["steps", "tokens", "costUsd", "timeMs"] as const satisfies (keyof Limits)[];

function boundsIn(found: Record<string, unknown>): Limits {
  return Object.fromEntries(
    BOUNDS.flatMap((bound) => {
      const value = found[bound];
      return isBound(value) ? [[bound, value]] : [];
    }),
  );
}

function isBound(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

function parsed(stored: string): Record<string, unknown> | null {
  const value: unknown = JSON.parse(stored);
  return objectIn(value);
}

function objectIn(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}
