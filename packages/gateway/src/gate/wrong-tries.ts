/** Counts wrong tokens and codes by address. A right one always passes, so that nobody can lock others out. */

const MOST = 10;
const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export type WrongTries = {
  /** Records one; true: it was one too many. */
  add(address: string): boolean;
};

export function countWrongTries(now: () => number): WrongTries {
  const tries = new Map<string, { count: number; until: number }>();
  return {
    add(address) {
      const key = address.replace(/^::ffff:/i, "");
      const known = tries.get(key);
      if (known !== undefined && known.until > now()) {
        known.count += 1;
        return known.count > MOST;
      }
      if (tries.size >= MOST_ADDRESSES) tries.clear();
      tries.set(key, { count: 1, until: now() + WINDOW_MS });
      return false;
    },
  };
}
