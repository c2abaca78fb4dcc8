/** Copies of a file with one bit changed, for every byte: in CI with each of these bits, otherwise with one in turn.
 *  The masks turn a digit into another one, switch a letter's case, and make a character invalid. */
export function* flips(whole: Buffer): Generator<[place: string, changed: Buffer]> {
  for (let at = 0; at < whole.length; at++) {
    const masks = process.env.CI ? MASKS : [MASKS[at % MASKS.length] ?? 1];
    for (const mask of masks) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ mask;
      yield [`byte ${at} ^ ${mask}`, changed];
    }
  }
}

const MASKS = [0x01, 0x20, 0x80];
