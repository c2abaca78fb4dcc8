/** Secrets that are shown once and kept as hashes: tokens, sessions, codes. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** SHA-256, hex. The secret is random, so that nothing slower is needed. */
export function secretHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The entry with this hash. All are compared, and each in constant time, so that the time tells nothing. */
export function withHash<T extends { sha256: string }>(
  entries: Iterable<T>,
  sha256: string,
): T | null {
  const wanted = Buffer.from(sha256, "hex");
  let found: T | null = null;
  for (const entry of entries) {
    const own = Buffer.from(entry.sha256, "hex");
    if (own.length === wanted.length && timingSafeEqual(own, wanted)) found = entry;
  }
  return found;
}
