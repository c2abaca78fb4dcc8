/** Blobs on their way from one place to the other, a batch at a time. */
import { failureFrom, type Problem } from "@uncaged/workflow-protocol";
import type { Blob } from "../node/blobs-of.ts";

/** Blobs per flush. */
const BATCH = 64;

export function* inBatches(hashes: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < hashes.length; at += BATCH) yield hashes.slice(at, at + BATCH);
}

/** Blobs that are gone by now are skipped, damaged ones are recorded. */
export async function verifiedOnes(
  hashes: readonly string[],
  report: { problems: Problem[] },
  read: (hash: string) => Promise<string | null>,
): Promise<Blob[]> {
  const blobs: Blob[] = [];
  for (const hash of hashes) {
    try {
      const text = await read(hash);
      if (text !== null) blobs.push({ hash, bytes: Buffer.from(text) });
    } catch (thrown) {
      const { code, message } = failureFrom(thrown, "INTERNAL");
      if (code !== "CAS_CORRUPT") throw thrown;
      report.problems.push({ code, hash, message });
    }
  }
  return blobs;
}
