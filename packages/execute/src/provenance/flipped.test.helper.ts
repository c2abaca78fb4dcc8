/** A file with one bit changed, for every byte of it: in CI with each of these bits, else with one of them in turn.
 *  The masks turn a digit into another, a letter into its other case, and a character into none. */
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
