/** The calls of a worker's agents, under the budget that it shares with the other workers of its coordinator.
 *
 *  A call is one run of a role: what an agent's program uses is known when it has ended, so nothing smaller can be counted
 *  beforehand. The store decides whether one may begin. One that may not yet waits, with the thread's room lent. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type BudgetUse,
  type Failure,
  failure,
  type LeaseRef,
  type SpentShare,
  type StepGroup,
  type Usage,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";

const ASK_EVERY_MS = 250;
/** The calls of others may take an hour. */
const ASK_LATER_MS = 2_000;

export type WorkerCalls = {
  /** Waits until the call may begin. Throws `LIMIT_REACHED` when the budget is used up. `group`: the member that it is. */
  begin: (group: StepGroup | undefined) => Promise<void>;
  /** An agent reports what it has used since its last report. */
  note: (group: StepGroup | undefined, usage: Usage) => void;
  /** The call has become a step, which records this. */
  end: (group: StepGroup | undefined, usage: Usage | null) => Promise<void>;
};

export function workerCalls(
  { dispatch, now }: Pick<Engine, "dispatch" | "now">,
  { threadId, fence }: LeaseRef,
  {
    lost,
    whileWaiting,
    tell,
    signal,
  }: {
    /** By attempts that no step records yet. The first call counts it. */
    lost: readonly Usage[];
    whileWaiting: <T>(wait: () => Promise<T>) => Promise<T>;
    /** For people who watch. */
    tell: (message: string) => void;
    signal: AbortSignal;
  },
): WorkerCalls {
  const begun = new Map<string, BudgetUse>();
  let unrecorded = lost.map(amountsOf).reduce(sum, NOTHING);
  let written: Promise<void> = Promise.resolve();
  return {
    async begin(group) {
      const part = partOf(group);
      const call = { threadId, fence, part, used: unrecorded };
      unrecorded = NOTHING;
      const ask = async (): Promise<boolean> => {
        const verdict = await dispatch.beginCall({ ...call, nowMs: now() });
        if (!verdict.ok && verdict.spent !== null)
          throw new WorkflowError(shareSpent(threadId, verdict.spent));
        return verdict.ok;
      };
      if (!(await ask())) {
        tell("waits: the calls of other workers may use what is left of the budget");
        await whileWaiting(async () => {
          for (let pauseMs = ASK_EVERY_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_LATER_MS)) {
            await sleep(pauseMs, undefined, { signal });
            if (await ask()) return;
          }
        });
      }
      begun.set(part, call.used);
    },
    note(group, usage) {
      const part = partOf(group);
      const before = begun.get(part);
      if (before === undefined) return;
      const used = sum(before, amountsOf(usage));
      begun.set(part, used);
      // One after the other, because each says all. One that is lost is made up for by the next, or by the step.
      written = written
        .then(() => dispatch.noteCall({ threadId, fence, part, used }))
        .catch(() => undefined);
    },
    async end(group, usage) {
      const part = partOf(group);
      const reported = begun.get(part);
      if (reported === undefined) return;
      begun.delete(part);
      await written;
      const used = usage === null ? reported : amountsOf(usage);
      // The step is stored. Without this the call ends with the lease.
      await dispatch.endCall({ threadId, fence, part, used }).catch(() => undefined);
    },
  };
}

const NOTHING: BudgetUse = { tokens: 0, costUsd: 0 };

function partOf(group: StepGroup | undefined): string {
  return group === undefined ? "" : `${group.entry}.${group.index}`;
}

function amountsOf({ inputTokens, outputTokens, costUsd }: Usage): BudgetUse {
  return { tokens: inputTokens + outputTokens, costUsd: costUsd ?? 0 };
}

function sum(a: BudgetUse, b: BudgetUse): BudgetUse {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd };
}

function shareSpent(threadId: string, { bound, limit, used }: SpentShare): Failure {
  const amounts = bound === "tokens" ? `${used} of ${limit} tokens` : `$${used} of $${limit}`;
  return failure(
    "LIMIT_REACHED",
    `worker ${threadId} may not call its agent again: its coordinator's workers have used ${amounts}`,
    "raise the limits of the coordinator's thread, or its `budgetShare`",
  );
}
