const FIRST_DELAY_MS = 500;
const MOST_SPREAD_MS = 1_000;

/** How long to wait before a retry; null: the server asks for longer than `maxDelayMs`. What it asks for is honoured;
 *  otherwise the delay doubles from half a second. A random part spreads the retries of many clients rejected at once: up to half of our own delay less, or slightly more
 *  than the server asks. */
export function retryDelayMs(opts: {
  tries: number;
  /** What the server asks for; null: nothing. */
  askedMs: number | null;
  /** From 0 to below 1. */
  random: () => number;
  maxDelayMs: number;
}): number | null {
  const { tries, askedMs, maxDelayMs, random } = opts;
  if (askedMs === null) {
    const fullMs = Math.min(FIRST_DELAY_MS * 2 ** tries, maxDelayMs);
    return Math.round(fullMs / 2 + (fullMs / 2) * random());
  }
  if (askedMs > maxDelayMs) return null;
  return Math.min(
    maxDelayMs,
    askedMs + Math.round(Math.min(MOST_SPREAD_MS, askedMs / 4) * random()),
  );
}

/** What a `Retry-After` asks for (RFC 9110 §10.2.3: seconds, or a date); null: nothing, or nothing that makes sense. */
export function askedDelayMs(retryAfter: string | null, nowMs: number): number | null {
  const text = retryAfter?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    return Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(Number(text) * 1000));
  }
  // `Date.parse` also accepts other texts that contain a number.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? [\w :-]{8,40}$/.test(text)) return null;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
