/** The budgets that workers share, in memory: the same answers as the SQL, from the same rule. */
import {
  type BudgetUse,
  type Dispatch,
  isFinished,
  type LeaseRef,
  leaseOf,
  type SharedBudget,
  type ThreadRecord,
  unwrap,
} from "@uncaged/workflow-protocol";
import { toWrite } from "./refusals.ts";
import { callVerdict, type SharedUse } from "./shared-budget.ts";

type Shared = {
  step: number;
  budget: SharedBudget;
  before: BudgetUse;
  largest: BudgetUse | null;
};
type Call = LeaseRef & { part: string; used: BudgetUse };
/** `step`: steps that the thread had when it began. */
type StoredCall = Call & { step: number };

export type MemorySharedBudget = Pick<
  Dispatch,
  "shareBudget" | "beginCall" | "noteCall" | "endCall"
> & { forget: (threadId: string) => void };

export function memorySharedBudget({
  all,
  recordOf,
}: {
  all: () => Iterable<{ record: ThreadRecord }>;
  recordOf: (threadId: string) => ThreadRecord | null;
}): MemorySharedBudget {
  const shares = new Map<string, Shared>();
  const calls = new Map<string, StoredCall>();
  const keyOf = ({ threadId, part }: Pick<Call, "threadId" | "part">): string =>
    `${threadId} ${part}`;
  const usedBy = (parent: string, besides: readonly string[]): BudgetUse =>
    [...all()]
      .map(({ record }) => record)
      .filter(
        ({ parentThread, threadId }) => parentThread === parent && !besides.includes(threadId),
      )
      .map(({ usage }) => ({
        tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
        costUsd: usage?.costUsd ?? 0,
      }))
      .reduce(sum, NOTHING);
  const sharedUse = (parent: string): Omit<SharedUse, "underWay"> | null => {
    const shared = shares.get(parent);
    const record = recordOf(parent);
    if (shared === undefined || record === null || isFinished(record)) return null;
    const { budget, before, largest } = shared;
    if (record.stepCount !== shared.step) return null;
    if (budget.tokens === null && budget.costUsd === null) return null;
    return { budget, used: sum(usedBy(parent, []), negative(before)), largest };
  };
  const isUnderWay = ({ threadId, fence }: LeaseRef, nowMs: number): boolean => {
    const record = recordOf(threadId);
    const lease = record === null ? null : leaseOf(record);
    return lease?.fence === fence && lease.expiresAt > nowMs;
  };
  /** What a call used that was cut off counts until its thread goes on. */
  const counts = (call: StoredCall, parent: string | null, nowMs: number): boolean => {
    const record = recordOf(call.threadId);
    if (record === null || isFinished(record) || record.parentThread !== parent) return false;
    return record.stepCount === call.step || isUnderWay(call, nowMs);
  };
  return {
    async shareBudget({ threadId, step, budget, workers }) {
      const earlier = shares.get(threadId);
      const before = earlier?.step === step ? earlier.before : usedBy(threadId, workers);
      shares.set(threadId, { step, budget, before, largest: earlier?.largest ?? null });
      return sharedUse(threadId)?.used ?? NOTHING;
    },
    async beginCall({ nowMs, ...call }) {
      const { threadId, fence } = call;
      const { parentThread, stepCount: step } = unwrap(toWrite(recordOf(threadId), call));
      const shared = parentThread === null ? null : sharedUse(parentThread);
      if (shared === null) return { ok: true };
      for (const [key, each] of calls)
        if (each.threadId === threadId && each.fence !== fence) calls.delete(key);
      const others = [...calls]
        .filter(([key]) => key !== keyOf(call))
        .map(([, each]) => each)
        .filter((each) => counts(each, parentThread, nowMs));
      const cutOff = others.filter((each) => !isUnderWay(each, nowMs));
      const verdict = callVerdict({
        ...shared,
        used: [call, ...cutOff].map(({ used }) => used).reduce(sum, shared.used),
        underWay: others.filter((each) => isUnderWay(each, nowMs)).map(({ used }) => used),
      });
      if (verdict.ok) calls.set(keyOf(call), { ...call, step });
      return verdict;
    },
    async noteCall(call) {
      const begun = calls.get(keyOf(call));
      if (begun?.fence === call.fence) calls.set(keyOf(call), { ...begun, used: call.used });
    },
    async endCall(call) {
      if (calls.get(keyOf(call))?.fence === call.fence) calls.delete(keyOf(call));
      const shared = shares.get(recordOf(call.threadId)?.parentThread ?? "");
      if (shared === undefined) return;
      const { tokens, costUsd } = shared.largest ?? NOTHING;
      const { used } = call;
      shared.largest = {
        tokens: Math.max(tokens, used.tokens),
        costUsd: Math.max(costUsd, used.costUsd),
      };
    },
    forget(threadId) {
      shares.delete(threadId);
      for (const [key, call] of calls) if (call.threadId === threadId) calls.delete(key);
    },
  };
}

const NOTHING: BudgetUse = { tokens: 0, costUsd: 0 };

function sum(a: BudgetUse, b: BudgetUse): BudgetUse {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd };
}

function negative({ tokens, costUsd }: BudgetUse): BudgetUse {
  return { tokens: -tokens, costUsd: -costUsd };
}
