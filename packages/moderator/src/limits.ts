/** What one evaluation of an expression may cost. Beyond it the evaluation fails; nothing hangs. */
export const LIMITS = {
  /** Of the source text of one expression. */
  expressionChars: 16_384,
  /** The same, with what the parser writes out more than once. */
  parsedChars: 524_288,
  /** Of all that is parsed to find the ends of a template's placeholders. */
  placeholderChars: 1_048_576,
  /** Wall time of one decision, or of one template, all its expressions together. Far above any honest rule: only
   *  a runaway meets it. */
  timeoutMs: 5_000,
  /** Of that, how long the thread that asks may be busy with it. What takes longer is handed over. */
  ownThreadMs: 20,
  /** Heap of an evaluation, beside what the steps themselves take. */
  memoryMiB: 192,
  /** Nested evaluations, a lambda that calls itself included. */
  depth: 1_000,
  /** Items of one sequence or array that an expression makes. */
  items: 1_000_000,
  /** Of any text that an expression touches or makes. */
  textChars: 16_777_216,
  /** Width that `$pad` accepts: it allocates what it is told to. */
  padWidth: 10_000,
} as const;
