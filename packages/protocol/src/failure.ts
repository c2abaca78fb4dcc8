import type { ErrorCode } from "./error-codes.ts";

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

/** A failure on its way through code that cannot go on: broken storage, a broken agent.
 *  Refusals that a caller is expected to handle are `Result` values instead. */
export class WorkflowError extends Error {
  readonly failure: Failure;

  constructor(reason: Failure, options?: ErrorOptions) {
    super(reason.message, options);
    this.name = "WorkflowError";
    this.failure = reason;
  }
}

/** Turns anything that was thrown into a failure; what is not ours becomes `fallbackCode`.
 *  Errors that crossed a bundle's own copy of this module are known by shape, not by class. */
export function failureFrom(thrown: unknown, fallbackCode: ErrorCode): Failure {
  if (thrown instanceof WorkflowError) return thrown.failure;
  if (thrown instanceof Error) return failure(fallbackCode, thrown.message || thrown.name, "");
  return failure(fallbackCode, String(thrown), "");
}
