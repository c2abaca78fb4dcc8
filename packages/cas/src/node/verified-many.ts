import { WorkflowError } from "@uncaged/workflow-protocol";
import { checkedHash } from "./store-failures.ts";

/** The texts of those blobs that `read` returns. What is missing, damaged or unreadable is left out: whoever needs
 *  it reads it alone, and is told. Throws `USAGE` for what is not a hash. */
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
