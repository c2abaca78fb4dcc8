import type { Result } from "@uncaged/workflow-protocol";

/** Why a listener was not told. `retryAfterMs`: it asks for this much time; null: it does not. */
type Undelivered = { fault: string; retryAfterMs: number | null };

/** One attempt to tell a listener. */
export type Delivery = Promise<Result<null, Undelivered>>;
