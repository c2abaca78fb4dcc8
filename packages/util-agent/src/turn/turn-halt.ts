/** Lets whoever reads along end a turn of our own accord. */
export type TurnHalt<Reason> = {
  /** The first reason counts. */
  because(reason: Reason): void;
  /** null: the turn was not ended by us. */
  reason(): Reason | null;
  signal: AbortSignal;
};

export function turnHalt<Reason>(): TurnHalt<Reason> {
  const abort = new AbortController();
  let first: Reason | null = null;
  return {
    because(reason) {
      first ??= reason;
      abort.abort();
    },
    reason: () => first,
    signal: abort.signal,
  };
}
