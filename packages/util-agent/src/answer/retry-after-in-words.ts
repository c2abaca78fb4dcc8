/** How long an agent's last words say to wait, in milliseconds; null: they do not. For agents that pass on their provider's
 *  sentence instead of its header. Use it only for a run that was turned away. */
export function retryAfterInWords(words: string): number | null {
  const found = WAIT.exec(words)?.groups;
  if (found?.count === undefined) return null;
  const unit = UNITS.find(({ says }) => says.test(found.unit ?? ""));
  return Math.ceil(Number(found.count) * (unit?.ms ?? 1_000));
}

const WAIT =
  /(?:try(?:ing)? again|retry(?:ing)?|retry.?after|available again|wait|resets?)["']?(?: after| in| for)?[ :="']*(?<count>\d{1,9}(?:\.\d{1,9})?)"? ?(?<unit>[a-z]*)/i;

/** Without a known unit, seconds. */
const UNITS: readonly { says: RegExp; ms: number }[] = [
  { says: /^(?:ms|milli)/i, ms: 1 },
  { says: /^m(?:in(?:ute)?s?)?$/i, ms: 60_000 },
  { says: /^h(?:(?:ou)?rs?)?$/i, ms: 3_600_000 },
  { says: /^d(?:ays?)?$/i, ms: 86_400_000 },
];
