import type { ServerResponse } from "node:http";
import type { Refusal } from "../gate/refusal.ts";

/** On every answer: nothing of ours is shown by another site, kept, or taken for another type. */
export const HEADERS_OF_ALL = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

export function answerJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  outgoing.end(JSON.stringify(body));
}

/** The connection ends with it: what follows on it may be the rest of a body that nobody reads. */
export function answerFailure(outgoing: ServerResponse, { status, ...error }: Refusal): void {
  outgoing.setHeader("connection", "close");
  if (status === 429) outgoing.setHeader("retry-after", "60");
  answerJson(outgoing, status, { error });
}
