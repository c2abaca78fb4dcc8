/** A key for one intent: sent again with the same key, a start has its effect once. `crypto.randomUUID` is missing on
 *  plain HTTP off loopback. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
