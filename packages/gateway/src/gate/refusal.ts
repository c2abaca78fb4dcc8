import type { ErrorCode } from "@uncaged/workflow-protocol";

/** Why a request goes no further, with the status of its answer. */
export type Refusal = { status: number; code: ErrorCode; message: string; hint: string };

export function refusal(
  status: number,
  code: ErrorCode,
  message: string,
  hint: string,
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { status, code, message, hint } };
}
