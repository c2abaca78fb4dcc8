/** `ETag`, `If-None-Match` and `If-Match`, as RFC 9110 has them. */

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"\s*(?:,\s*(?:W\/)?"[\x21\x23-\x7e]*"\s*)*$/;

/** Whether a caller has what bears this tag, by its `If-None-Match`. Weakly: a proxy that compresses makes tags weak. What
 *  cannot be read matches nothing, and the caller gets the whole. */
export function isHeld(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return (
    LIST.test(ifNoneMatch) &&
    [...ifNoneMatch.matchAll(/"([^"]*)"/g)].some(([, each]) => each === tag)
  );
}

/** The one tag of an `If-Match`; null: it is not one. Taken for absent, it would let through what it was to hold back. */
export function oneTag(ifMatch: string): string | null {
  return /^(?:W\/)?"([\x21\x23-\x7e]+)"$/.exec(ifMatch.trim())?.[1] ?? null;
}
