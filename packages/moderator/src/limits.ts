/** Limits of one evaluation. Beyond them the evaluation fails; nothing hangs. */
export const LIMITS = {
  /** Source text of one expression. */
  expressionChars: 16_384,
  /** The same, including what the parser writes out more than once. */
  parsedChars: 524_288,
  /** Everything parsed to find the ends of a template's placeholders. */
  placeholderChars: 1_048_576,
  /** Wall time of one decision or one template, all its expressions together. Far above any honest rule: only a
   *  runaway hits it. */
  timeoutMs: 5_000,
  /** How much of that the calling thread may spend. What takes longer is handed over. */
  ownThreadMs: 20,
  /** Heap of an evaluation, on top of the steps themselves. */
  memoryMiB: 192,
  /** Nested evaluations, including a lambda that calls itself. */
  depth: 1_000,
  /** Items in one sequence or array that an expression creates. */
  items: 1_000_000,
  /** Any text that an expression reads or creates. */
  textChars: 16_777_216,
  /** Width that `$pad` accepts: it allocates whatever it is told to. */
  padWidth: 10_000,
} as const;
