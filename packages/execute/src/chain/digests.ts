import { sha256Hex } from "@uncaged/workflow-cas";
import { type CasStore, type Digests, failure, WorkflowError } from "@uncaged/workflow-protocol";

/** SHA-256 of each of these blobs. Throws `ARTIFACT_MISSING` when one is not stored: a step that names something that
 *  does not exist would record a claim as a fact. */
export async function digestsOf(
  cas: Pick<CasStore, "get">,
  hashes: readonly string[],
): Promise<Digests> {
  const digests: { [hash: string]: string } = {};
  for (const hash of hashes) {
    const text = await cas.get(hash);
    if (text === null) throw missing(hash);
    digests[hash] = sha256Hex(text);
  }
  return digests;
}

function missing(hash: string): WorkflowError {
  return new WorkflowError(
    failure(
      "ARTIFACT_MISSING",
      `the role's result names artifact ${hash}, which is not in the store`,
      "the role must store it first: uncaged-workflow cas put -",
    ),
  );
}
