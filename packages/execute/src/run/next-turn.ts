import type {
  WorkflowCompletion,
  WorkflowFn,
  WorkflowYield,
  YieldAnswer,
} from "@uncaged/workflow-protocol";

/** How long an aborted role may take to end its processes before the engine continues without it. */
export const ABORT_GRACE_MS = 8_000;

export type Turn =
  | { kind: "yielded"; yielded: WorkflowYield }
  | { kind: "returned"; completion: WorkflowCompletion }
  | { kind: "threw"; cause: unknown }
  | { kind: "interrupted" };

/** Asks for the next output. After an abort the role has a grace period to end its processes: an output that still
 *  arrives is accepted (5); a rejection is attributed to the abort. */
export async function nextTurn(
  generator: ReturnType<WorkflowFn>,
  answer: YieldAnswer,
  signal: AbortSignal,
): Promise<Turn> {
  const turn = generator.next(answer).then(
    (result): Turn =>
      result.done === true
        ? { kind: "returned", completion: result.value }
        : { kind: "yielded", yielded: result.value },
    (cause: unknown): Turn => (signal.aborted ? { kind: "interrupted" } : { kind: "threw", cause }),
  );
  const { promise: graceOver, cancel } = afterAbort(signal, ABORT_GRACE_MS);
  try {
    return await Promise.race([turn, graceOver]);
  } finally {
    cancel();
  }
}

/** `promise` resolves this long after an abort; never without one. */
export function afterAbort(
  signal: AbortSignal,
  graceMs: number,
): { promise: Promise<Turn>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<Turn>();
  let timer: NodeJS.Timeout | undefined;
  const startTimer = (): void => {
    timer = setTimeout(resolve, graceMs, { kind: "interrupted" });
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener("abort", startTimer, { once: true });
  return {
    promise,
    cancel: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", startTimer);
    },
  };
}
