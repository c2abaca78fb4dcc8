/** DSSE envelopes (https://github.com/secure-systems-lab/dsse) with one Ed25519 signature.
 *
 *  A reader accepts an envelope only in the exact form in which `sealEnvelope` writes it, so that no byte of the file
 *  can be changed unnoticed, even where the signature does not cover it: spaces, base64, the key id. */

import { createHash, type KeyObject, sign, verify } from "node:crypto";
import { canonicalJson } from "@uncaged/workflow-cas";
import { parseJson } from "@uncaged/workflow-protocol";

export type Envelope = { payload: Buffer; payloadType: string; keyId: string; signature: Buffer };

/** Text of the envelope file. `privateKey` must be Ed25519. */
export function sealEnvelope(
  payload: Buffer,
  payloadType: string,
  keys: { privateKey: KeyObject; publicKey: KeyObject },
): string {
  const signature = sign(null, preAuthEncoding(payloadType, payload), keys.privateKey);
  return envelopeText({ payload, payloadType, keyId: keyIdOf(keys.publicKey), signature });
}

/** null for any text that `sealEnvelope` did not write. Does not check the signature. */
export function parseEnvelope(text: string): Envelope | null {
  const value = parseJson(text);
  if (!isRecord(value) || !Array.isArray(value.signatures)) return null;
  const [first]: unknown[] = value.signatures;
  if (!isRecord(first)) return null;
  const { payload, payloadType } = value;
  const { keyid, sig } = first;
  if (typeof payload !== "string" || typeof payloadType !== "string") return null;
  if (typeof keyid !== "string" || typeof sig !== "string") return null;
  const envelope = {
    payload: Buffer.from(payload, "base64"),
    payloadType,
    keyId: keyid,
    signature: Buffer.from(sig, "base64"),
  };
  return envelopeText(envelope) === text ? envelope : null;
}

export function isSignedBy(envelope: Envelope, publicKey: KeyObject): boolean {
  const { payload, payloadType, keyId, signature } = envelope;
  if (keyId !== keyIdOf(publicKey)) return false;
  return verify(null, preAuthEncoding(payloadType, payload), publicKey, signature);
}

/** SHA-256 (hex) of the key's SubjectPublicKeyInfo in DER. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
}

/** What is signed: `"DSSEv1" SP len(type) SP type SP len(payload) SP payload`, lengths in bytes. */
export function preAuthEncoding(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  const head = Buffer.from(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `);
  return Buffer.concat([head, payload]);
}

function envelopeText({ payload, payloadType, keyId, signature }: Envelope): string {
  const envelope = {
    payload: payload.toString("base64"),
    payloadType,
    signatures: [{ keyid: keyId, sig: signature.toString("base64") }],
  };
  return `${canonicalJson(envelope)}\n`;
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
