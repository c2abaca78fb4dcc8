/** How long a lease lives unless it is renewed. */
export const LEASE_TTL_MS = 15_000;
/** Five times within its lifetime, so that one slow disk write does not lose it. */
export const RENEW_EVERY_MS = 3_000;
/** Where other machines take over what has expired: an owner that could not renew for so long ends its agents, before
 *  others begin. */
export const FENCE_AFTER_MS = 12_000;
