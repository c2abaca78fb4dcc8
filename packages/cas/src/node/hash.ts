import { hash as digest } from "node:crypto";
import { crockford64 } from "@uncaged/workflow-util";
// Named imports of this addon do not work in Node; only the default import does.
import xxhash from "xxhash-addon";

/** The name of exact bytes: XXH64 with seed 0, in 13 characters of Crockford base32. A text is hashed as UTF-8. Not
 *  cryptographic: collisions can be constructed at will, so nothing may rely on a name without comparing bytes or
 *  SHA-256. */
export function hashBytes(data: Uint8Array | string): string {
  const sum = xxhash.XXHash64.hash(asBuffer(data));
  return crockford64(sum.readUInt32BE(0), sum.readUInt32BE(4));
}

/** SHA-256 of exact bytes, hex. A text is hashed as UTF-8. */
export function sha256Hex(data: Uint8Array | string): string {
  return digest("sha256", data, "hex");
}

function asBuffer(data: Uint8Array | string): Buffer {
  if (typeof data === "string") return Buffer.from(data);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
