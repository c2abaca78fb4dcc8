import { WorkflowError } from "@uncaged/workflow-protocol";
import { checkedHash } from "./store-failures.ts";

/** The texts of those blobs that `read` returns. Missing, damaged or unreadable blobs are left out: a caller that needs
 *  one reads it alone, and gets the error. Throws `USAGE` for anything that is not a hash. */
export function verifiedMany(
  hashes: readonly string[],
  read: (hash: string) => string | null,
): Map<string, string> {
  for (const hash of hashes) checkedHash(hash);
  const texts = new Map<string, string>();
  for (const hash of hashes) {
    const text = readOrNull(hash, read);
    if (text !== null) texts.set(hash, text);
  }
  return texts;
}

function readOrNull(hash: string, read: (hash: string) => string | null): string | null {
  try {
    return read(hash);
  } catch (thrown) {
    if (thrown instanceof WorkflowError) return null;
    throw thrown;
  }
}
