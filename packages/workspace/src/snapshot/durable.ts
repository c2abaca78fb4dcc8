/** A step that is published must not lose its files in a power cut. */
export const DURABLE: readonly string[] = ["core.fsync=committed", "core.fsyncMethod=batch"];
