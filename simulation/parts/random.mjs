/** Numbers that follow from a seed alone: mulberry32, by Tommy Ettinger, in the public domain. */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** A whole number from 0 up to, but not including, `below`. */
    below: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    oneOf: (items) => items[Math.floor(next() * items.length)],
  };
}
