/** A hash as a signed 64-bit integer and back: eight bytes instead of thirteen in an index. */
import { crockford64 } from "@uncaged/workflow-util";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The hash must have been checked. */
export function nameOf(hash: string): bigint {
  const high = bits(hash, 0, 7); // 4 + 6 × 5 bits
  const low = bits(hash, 7, 13); // 6 × 5 bits
  return BigInt.asIntN(64, (BigInt(high) << 30n) | BigInt(low));
}

/** For a SELECT or RETURNING whose rows go to `hashOfName`: JavaScript's numbers cannot hold 64 bits. */
export const NAME = "CAST(name AS TEXT) AS blob";

export function hashOfName(name: string): string {
  const bits = BigInt.asUintN(64, BigInt(name));
  return crockford64(Number(bits >> 32n), Number(bits & 0xffff_ffffn));
}

/** Up to 34 bits: more than `<<` can do. */
function bits(hash: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 32 + ALPHABET.indexOf(hash.charAt(at));
  return value;
}
