import {
  endingOf,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { writeFileAtomic } from "@uncaged/workflow-util";
import { loadChain, roleStates } from "../chain/chain.ts";
import { type KnownThread, storedThreads } from "../chain/thread-source.ts";
import type { Engine } from "../storage/engine.ts";
import { ownAttestKey, type Passphrases, readAttestKey } from "./attest-key.ts";
import { keyIdOf, sealEnvelope } from "./dsse.ts";
import { proveStored } from "./prove-stored.ts";
import { PAYLOAD_TYPE, threadStatement } from "./thread-statement.ts";

export type AttestedThread = {
  threadId: string;
  /** Absolute path of the attestation. */
  file: string;
  /** Number of nodes and bundle files whose SHA-256 it states. */
  subjects: number;
  keyId: string;
  /** Absolute path of the public key to verify with; null when a key file was passed in. */
  publicKeyFile: string | null;
};

/** Signs a statement of what this thread is. The thread is proved first, so nothing false is signed. `key`: a private
 *  key file; null: the storage root's own key, created if necessary. `passphrases`: who is asked for those of keys; left out:
 *  nobody can be. Refused: a thread that cannot be proved, `KEY_INVALID`, and `TARGET_EXISTS` when the file exists
 *  already. */
export async function attestThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: { file: string; key: string | null; passphrases?: Passphrases | null },
): Promise<Result<AttestedThread, Failure>> {
  const proved = await proveStored(engine, thread, "is not attested");
  if (!proved.ok) return proved;
  const stale = await staleEvidence(engine, proved.value.proof.threads);
  if (stale !== null) return err(stale);
  const { passphrases = null } = opts;
  const key = await (opts.key === null
    ? ownAttestKey(engine.root, passphrases)
    : readAttestKey(opts.key, passphrases?.open));
  if (!key.ok) return key;
  const { payload, subjects } = await threadStatement(storedThreads(engine), proved.value.proof);
  const data = sealEnvelope(payload, PAYLOAD_TYPE, key.value);
  const { file } = opts;
  const written = await writeFileAtomic({ path: file, data, mode: 0o644, existing: "keep" });
  if (written === "kept") return err(taken(file));
  const { publicKey, publicKeyFile } = key.value;
  return ok({
    threadId: thread.threadId,
    file,
    subjects,
    keyId: keyIdOf(publicKey),
    publicKeyFile,
  });
}

/** The first of these threads that completed with files other than those that were checked. A thread that failed claims
 *  nothing about its files. */
async function staleEvidence(
  engine: Engine,
  threads: readonly KnownThread[],
): Promise<Failure | null> {
  const { cas } = storedThreads(engine);
  for (const thread of threads) {
    const proof = roleStates(await loadChain(cas, thread)).at(-1)?.node.payload.proof;
    if (proof === undefined || proof.state === "valid" || endingOf(thread)?.status === "failed")
      continue;
    const why =
      proof.state === "stale"
        ? `the files were changed after step ${proof.round}, whose check saw them`
        : `nobody has approved that step ${proof.round} changed what its check checks`;
    return failure(
      "EVIDENCE_MISSING",
      `thread ${thread.threadId} is not attested, because its evidence is ${proof.state}: ${why}`,
      "let a role with the check go last (docs/evidence.md); see the steps with: uncaged-workflow thread show",
    );
  }
  return null;
}

function taken(path: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${path} already exists; nothing was written`,
    "name another file with --out",
  );
}
