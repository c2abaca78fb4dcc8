import type { Result } from "@uncaged/workflow-protocol";

/** Why a listener was not told. `retryAfterMs`: how long it asks us to wait; null: it does not say. */
type Undelivered = { fault: string; retryAfterMs: number | null };

/** One attempt to tell a listener. */
export type Delivery = Promise<Result<null, Undelivered>>;
