/** Copies of a file with one bit changed: for every byte with each of these bits or, unless `all`, for some bytes with one
 *  bit in turn. The masks turn a digit into another one, switch a letter's case, and make a character invalid. */
export function* flips(
  whole: Buffer,
  { all }: { all: boolean },
): Generator<[place: string, changed: Buffer]> {
  const step = all ? 1 : SOME;
  for (let at = all ? 0 : Math.floor(Math.random() * step); at < whole.length; at += step) {
    for (const mask of all ? MASKS : [MASKS[at % MASKS.length] ?? 1]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ mask;
      yield [`byte ${at} ^ ${mask}`, changed];
    }
  }
}

const MASKS = [0x01, 0x20, 0x80];
/** No multiple of three, so that each mask has its turn. */
const SOME = 8;
