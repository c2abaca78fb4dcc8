/** What one evaluation of an expression may cost. Beyond it the evaluation fails; nothing hangs. */
export const LIMITS = {
  /** Of the source text of one expression. */
  expressionChars: 16_384,
  /** Wall time of one evaluation. Far above any honest rule: only a runaway meets it. */
  timeoutMs: 5_000,
  /** Nested evaluations, a lambda that calls itself included. */
  depth: 1_000,
  /** Items of one sequence or array that an expression makes. */
  items: 1_000_000,
  /** Of any text that an expression touches or makes. */
  textChars: 16_777_216,
  /** Width that `$pad` accepts: it allocates what it is told to. */
  padWidth: 10_000,
} as const;
