/** Whether a delivery was signed with a trigger's secret, in one of two ways:
 *
 *  1. Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1,<base64>`, several with a space
 *     between), an HMAC-SHA256 of `id.timestamp.body` under the bytes that the secret's base64 stands for. A delivery
 *     is valid for five minutes, so an intercepted one is soon useless.
 *  2. GitHub's: `X-GitHub-Delivery` and `X-Hub-Signature-256` (`sha256=<hex>`), an HMAC-SHA256 of the body under the
 *     text of the secret. The signature covers neither the time nor the delivery's id. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";

/** Names in lower case; a repeated header is left out. */
export type DeliveryHeaders = { readonly [name: string]: string | undefined };

/** How far the sender's clock may be off. */
const TOLERANCE_MS = 300_000;
const PREFIX = "whsec_";

export function newSecret(): string {
  return `${PREFIX}${randomBytes(32).toString("base64")}`;
}

/** Returns the delivery's id. `SIGNATURE_INVALID`. */
export function verifyDelivery(
  secret: string,
  { headers, body }: { headers: DeliveryHeaders; body: Uint8Array },
  nowMs: number,
): Result<string, Failure> {
  const { "webhook-signature": standard, "x-hub-signature-256": github } = headers;
  if (standard !== undefined)
    return verifyStandard(secret, { headers, body, given: standard }, nowMs);
  if (github !== undefined) return verifyGithub(secret, { headers, body, given: github });
  return refused("it has neither a webhook-signature nor an X-Hub-Signature-256");
}

type Signed = { headers: DeliveryHeaders; body: Uint8Array; given: string };

function verifyStandard(
  secret: string,
  { headers, body, given }: Signed,
  nowMs: number,
): Result<string, Failure> {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "" } = headers;
  if (!ID.test(id)) return refused("its webhook-id is missing or too long");
  if (!/^\d{1,12}$/.test(timestamp)) return refused("its webhook-timestamp is not a Unix time");
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const signatures = given.split(" ").slice(0, MOST_SIGNATURES);
  // All are compared: their number is not a secret.
  const good = signatures.filter(
    (each) => each.startsWith("v1,") && isEqual(Buffer.from(each.slice(3), "base64"), expected),
  );
  if (good.length === 0) return refused("it is not signed with this trigger's secret");
  if (Math.abs(nowMs - Number(timestamp) * 1_000) > TOLERANCE_MS)
    return refused("it was signed more than five minutes ago, or a clock is wrong");
  return ok(id);
}

function verifyGithub(secret: string, { headers, body, given }: Signed): Result<string, Failure> {
  const { "x-github-delivery": id = "" } = headers;
  const [, hex = ""] = /^sha256=([0-9a-f]{64})$/i.exec(given) ?? [];
  const expected = createHmac("sha256", secret).update(body).digest();
  if (!isEqual(Buffer.from(hex, "hex"), expected))
    return refused("it is not signed with this trigger's secret");
  return ID.test(id) ? ok(id) : refused("its X-GitHub-Delivery is missing or too long");
}

/** Delivery ids become start keys. */
const ID = /^[\x21-\x7e]{1,200}$/;
/** There may be several while a secret is being replaced. */
const MOST_SIGNATURES = 8;

/** Takes the same time wherever they differ. */
function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function refused(why: string): Result<never, Failure> {
  return err(
    failure(
      "SIGNATURE_INVALID",
      `the delivery was refused: ${why}`,
      "give the sender the secret that `trigger add` printed; if it is lost, remove the trigger and add it again",
    ),
  );
}
