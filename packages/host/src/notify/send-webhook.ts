/** Notifies an address as the Standard Webhooks specification says (standardwebhooks.com): id, time and signature are in
 *  headers, so that a receiver can check them with existing libraries. */
import { createHmac } from "node:crypto";
import { err, ok, type PendingNotice } from "@uncaged/workflow-protocol";
import type { Delivery } from "./delivery.ts";

const ANSWER_WITHIN_MS = 10_000;
const KEY_PREFIX = "whsec_";

export async function sendWebhook(
  { url, secret }: { url: string; secret: string | null },
  { id, body }: Pick<PendingNotice, "id" | "body">,
  at: { nowMs: number; signal: AbortSignal },
): Delivery {
  const timestamp = String(Math.floor(at.nowMs / 1_000));
  const headers = {
    "content-type": "application/json",
    "user-agent": "uncaged-workflow",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(secret === null
      ? {}
      : { "webhook-signature": signature(secret, `${id}.${timestamp}.${body}`) }),
  };
  try {
    const signal = AbortSignal.any([at.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    // Not followed: what is signed for one address is not sent to another.
    const request = { method: "POST", headers, body, redirect: "manual", signal } as const;
    const response = await fetch(url, request);
    await response.body?.cancel();
    if (response.ok) return ok(null);
    const retryAfterMs = retryAfter(response.headers.get("retry-after"));
    return err({ fault: `it answered ${response.status}`, retryAfterMs });
  } catch (thrown) {
    return err({ fault: reasonOf(thrown), retryAfterMs: null });
  }
}

function signature(secret: string, signed: string): string {
  const key = secret.startsWith(KEY_PREFIX)
    ? Buffer.from(secret.slice(KEY_PREFIX.length), "base64")
    : secret;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

function retryAfter(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

/** What `fetch` throws says only that it failed; the cause says why. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === "TimeoutError") return `no answer within ${ANSWER_WITHIN_MS / 1_000} s`;
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}
