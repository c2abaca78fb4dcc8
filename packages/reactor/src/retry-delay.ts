const FIRST_DELAY_MS = 500;

/** How long to wait before the next try. A server's `Retry-After` (RFC 9110 §10.2.3: seconds, or a date) is
 *  honoured; without a usable one the delay doubles from half a second. */
export function retryDelayMs(opts: {
  tries: number;
  retryAfter: string | null;
  nowMs: number;
}): number {
  return askedDelayMs(opts.retryAfter, opts.nowMs) ?? FIRST_DELAY_MS * 2 ** opts.tries;
}

function askedDelayMs(retryAfter: string | null, nowMs: number): number | null {
  const text = retryAfter?.trim() ?? "";
  if (text === "") return null;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
