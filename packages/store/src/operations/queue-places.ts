import type { LimitKey, QueuePlace } from "@uncaged/workflow-protocol";

/** For the SET part of an update. */
export const NOT_QUEUED = "queuedAt = NULL, queuedFor = NULL, notBefore = NULL";
export const QUEUED = "queuedAt = :queuedAt, queuedFor = :queuedFor, notBefore = :notBefore";

/** The columns of a thread; null: it is not queued. */
export function storedPlace(place: QueuePlace | null): Record<string, string | number | null> {
  return {
    queuedAt: place?.since ?? null,
    queuedFor: place === null ? null : JSON.stringify(place.for),
    notBefore: place?.notBefore ?? null,
  };
}

/** The limits that a stored text names; null when it names anything else. */
export function limitKeys(value: unknown): LimitKey[] | null {
  if (!Array.isArray(value)) return null;
  const keys = value.filter(isLimitKey);
  return keys.length < value.length ? null : keys;
}

/** A list of texts; null when it is anything else. */
export function storedNames(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const names = value.filter((name) => typeof name === "string");
  return names.length < value.length ? null : names;
}

function isLimitKey(value: unknown): value is LimitKey {
  return (
    typeof value === "string" &&
    /^(threads|budget|paused|worker|(workflow|agent|provider|pool|label):.*)$/s.test(value)
  );
}
