/** Functions that would let the same steps lead to different roles, and why. */
export const IMPURE_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["eval", "it would run text that nobody checked"],
  ["millis", "it reads the clock"],
  ["now", "it reads the clock"],
  ["random", "it draws a random number"],
  ["shuffle", "it draws random numbers"],
  ["toMillis", "it fills in what a date leaves out from the clock and the machine's time zone"],
]);

/** All other functions of the evaluator. A list of those known to be pure rather than impure, so that a function
 *  added in a later version is refused until somebody has reviewed it. */
export const PURE_FUNCTIONS: ReadonlySet<string> = new Set(
  `abs append assert average base64decode base64encode boolean ceil clone contains count
   decodeUrl decodeUrlComponent distinct each encodeUrl encodeUrlComponent error exists filter
   floor formatBase formatInteger formatNumber fromMillis join keys length lookup lowercase map
   match max merge min not number pad parseInteger power reduce replace reverse round sift single
   sort split spread sqrt string substring substringAfter substringBefore sum trim type uppercase
   zip`.split(/\s+/u),
);
