/** Where to begin reading a live log whose newest event is `last`, when searching its latest events: near its end
 *  first, which is usually enough, then further back, and finally at its beginning (0). */
export function* looksBack(last: number): Generator<number, void> {
  for (let events = FIRST_EVENTS; last > 0; events *= TIMES_MORE) {
    const after = Math.max(0, last - events);
    yield after;
    if (after === 0) return;
  }
}

const FIRST_EVENTS = 512;
const TIMES_MORE = 8;
