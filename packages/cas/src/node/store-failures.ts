/** The wording in which every backend reports the same four failures. */
import { failure, isHash, WorkflowError } from "@uncaged/workflow-protocol";

const CHECK = "check the whole store: uncaged-workflow cas fsck";

/** `found` says what is in the blob's place. */
export function corrupt(hash: string, found: string): WorkflowError {
  return new WorkflowError(failure("CAS_CORRUPT", `blob ${hash} is damaged: ${found}`, CHECK));
}

export function collision(hash: string): WorkflowError {
  return new WorkflowError(
    failure(
      "CAS_COLLISION",
      `different content is already stored under ${hash}; nothing was overwritten`,
      "change the content, if only by a space: these two texts have the same XXH64",
    ),
  );
}

/** A node whose name does not match its bytes; only a bug in the code that made it can cause that. */
export function misnamed(claimed: string, actual: string): WorkflowError {
  return new WorkflowError(
    failure("CAS_CORRUPT", `a node named ${claimed} has the hash ${actual}; it was not stored`, ""),
  );
}

/** Lets only hashes through, so that no other text becomes a path. */
export function checkedHash(hash: string): string {
  if (isHash(hash)) return hash;
  const hint = "a hash has 13 characters of Crockford base32, as `cas put` prints them";
  throw new WorkflowError(failure("USAGE", `${JSON.stringify(hash)} is not a hash`, hint));
}
