import { type ErrorCode, isErrorCode } from "./error-codes.ts";
import type { Result } from "./result.ts";

/** What went wrong, where, and what to do next: the same three things on every surface. */
export type Failure = {
  readonly code: ErrorCode;
  /** What and where, one sentence. */
  readonly message: string;
  /** What to do next; empty when there is nothing to do. */
  readonly hint: string;
};

export function failure(code: ErrorCode, message: string, hint: string): Failure {
  return { code, message, hint };
}

/** A failure that travels through code that cannot continue: broken storage, a broken agent. Refusals that a caller
 *  is expected to handle are `Result` values instead. */
export class WorkflowError extends Error {
  readonly failure: Failure;

  constructor(reason: Failure, options?: ErrorOptions) {
    super(reason.message, options);
    this.name = "WorkflowError";
    this.failure = reason;
  }
}

/** The value of a result, for callers whose own failures are thrown. */
export function unwrap<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value;
  throw new WorkflowError(result.error);
}

/** Turns any thrown value into a failure; anything but a `WorkflowError` becomes `fallbackCode`. A bundle carries
 *  its own copy of the class, so its errors are recognized by shape, not by `instanceof`; a code that only a newer
 *  copy knows counts as `fallbackCode`. */
export function failureFrom(thrown: unknown, fallbackCode: ErrorCode): Failure {
  if (thrown instanceof Error) {
    return carriedFailure(thrown) ?? failure(fallbackCode, thrown.message || thrown.name, "");
  }
  return failure(fallbackCode, String(thrown), "");
}

function carriedFailure(thrown: Error): Failure | null {
  if (!("failure" in thrown)) return null;
  const carried = thrown.failure;
  if (typeof carried !== "object" || carried === null) return null;
  if (!("code" in carried && "message" in carried && "hint" in carried)) return null;
  const { code, message, hint } = carried;
  if (typeof code !== "string" || !isErrorCode(code)) return null;
  if (typeof message !== "string" || typeof hint !== "string") return null;
  return failure(code, message, hint);
}
