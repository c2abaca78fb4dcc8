import type { EndReport } from "@uncaged/workflow-util";

export type ProgramStop<Reason> = {
  /** Begins to end the program, once; the first reason counts. */
  because(reason: Reason): void;
  reason(): Reason | null;
  /** Resolves when no stop is under way. */
  settled(): Promise<void>;
  /** Resolves (to null) when the program could not be ended, for example because it hangs in the kernel. */
  gaveUp: Promise<null>;
};

export function programStop<Reason>(
  pid: number,
  end: () => Promise<EndReport>,
): ProgramStop<Reason> {
  let first: Reason | null = null;
  let ending: Promise<void> = Promise.resolve();
  const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<null>();
  return {
    because(reason) {
      if (first !== null) return;
      first = reason;
      ending = end().then(({ left }) => {
        if (left.includes(pid)) giveUp(null);
      });
    },
    reason: () => first,
    settled: () => ending,
    gaveUp,
  };
}
