/** A hash as SQLite's signed 64-bit integer and back: eight bytes instead of thirteen in an index. */
import { crockford64 } from "@uncaged/workflow-util";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The hash must have been checked. */
export function nameOf(hash: string): bigint {
  const high = bits(hash, 0, 7); // 4 + 6 × 5 bits
  const low = bits(hash, 7, 13); // 6 × 5 bits
  return BigInt.asIntN(64, (BigInt(high) << 30n) | BigInt(low));
}

/** For the SELECT of a query whose rows go to `hashOfHex`: JavaScript's numbers cannot hold 64 bits. */
export const NAME_AS_HEX = "printf('%016x', name) AS hex";

export function hashOfHex(hex: string): string {
  return crockford64(Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8, 16), 16));
}

/** Up to 34 bits: more than `<<` can do. */
function bits(hash: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 32 + ALPHABET.indexOf(hash.charAt(at));
  return value;
}
