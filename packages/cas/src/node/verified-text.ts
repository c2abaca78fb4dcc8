import { isUtf8 } from "node:buffer";
import { hashBytes } from "./hash.ts";
import { corrupt } from "./store-failures.ts";

/** The text of bytes that were read, after checking them against their name. Throws `CAS_CORRUPT`. */
export function verifiedText(hash: string, bytes: Buffer): string {
  const actual = hashBytes(bytes);
  if (actual !== hash) throw corrupt(hash, `its ${bytes.length} bytes have the hash ${actual}`);
  if (!isUtf8(bytes)) throw corrupt(hash, "it is not UTF-8");
  return bytes.toString();
}
