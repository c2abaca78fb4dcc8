/** How long a lease lives unless it is renewed. */
export const LEASE_TTL_MS = 15_000;
/** Five times within its lifetime, so that one slow disk write does not lose it. */
export const RENEW_EVERY_MS = 3_000;
