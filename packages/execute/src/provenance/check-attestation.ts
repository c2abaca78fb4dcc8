import { isUtf8 } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { type JsonValue, type Problem, parseJson, toJsonObject } from "@uncaged/workflow-protocol";
import type { ThreadSource } from "../chain/thread-source.ts";
import { type Difference, differences } from "../read/differences.ts";
import type { Proof } from "../verify/verify-thread.ts";
import { isSignedBy, parseEnvelope } from "./dsse.ts";
import { PAYLOAD_TYPE, threadStatement } from "./thread-statement.ts";

/** What is wrong with an attestation: its form, its signature by this key, or that it does not describe this thread as
 *  it is. Empty: the holder of the key has signed exactly this thread. The proof must have found nothing wrong. */
export async function attestationProblems(
  { source, proof }: { source: ThreadSource; proof: Proof },
  attestation: Buffer,
  publicKey: KeyObject,
): Promise<Problem[]> {
  const [thread] = proof.threads;
  const hash = thread?.head ?? "";
  const envelope = isUtf8(attestation) ? parseEnvelope(attestation.toString("utf8")) : null;
  if (envelope === null || envelope.payloadType !== PAYLOAD_TYPE) {
    const message = "the attestation is not an envelope as `thread attest` writes it";
    return [{ code: "ATTESTATION_INVALID", hash, message }];
  }
  if (!isSignedBy(envelope, publicKey)) {
    const message = `the attestation (key id ${envelope.keyId}) is not signed with the key that was given`;
    return [{ code: "SIGNATURE_INVALID", hash, message }];
  }
  const { payload } = await threadStatement(source, proof);
  if (payload.equals(envelope.payload)) return [];
  const found = differences(statementIn(envelope.payload), statementIn(payload));
  const shown = found.slice(0, SHOWN).map((difference) => ({
    code: "ATTESTATION_MISMATCH",
    hash,
    message: `the attestation says ${difference.path}: ${said(difference)}`,
  }));
  const more = found.length - shown.length;
  if (shown.length > 0 && more === 0) return shown;
  const message = `the attestation differs from the thread in ${more === 0 ? "its spelling" : `${more} more places`}`;
  return [...shown, { code: "ATTESTATION_MISMATCH", hash, message }];
}

const SHOWN = 5;
const SHOWN_CHARACTERS = 100;

function said({ a, b }: Difference): string {
  return `${shortened(a)}; the thread has ${shortened(b)}`;
}

function shortened(value: JsonValue | undefined): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function statementIn(payload: Buffer): JsonValue {
  return toJsonObject(parseJson(payload.toString("utf8")));
}
