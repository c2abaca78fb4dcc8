/** The rows that a writer with this fence owns. The expiry is left out on purpose: an owner that slept past it, and
 *  that nobody replaced, may still publish the step it finished. */
export const OWNED = "threadId = :threadId AND fence = :fence AND status = 'running'";

/** For the SET part of an update. `fence` stays: the next owner's is higher. */
export const NO_LEASE = `leasePid = NULL, leaseStartedAt = NULL, leaseBootId = NULL,
  leaseAcquiredAt = NULL, leaseHeartbeatAt = NULL, leaseExpiresAt = NULL, leaseWorker = NULL`;
