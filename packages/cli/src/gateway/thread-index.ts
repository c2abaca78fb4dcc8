/** All steps of a thread as columns, which are a tenth of the steps themselves. */
import { type BareStep, bareSteps, type Engine } from "@uncaged/workflow-execute";
import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";
import type { ThreadRecord } from "@uncaged/workflow-protocol";

/** A longer one is a text, not a status. */
const MOST_CHARS = 40;

export async function threadIndex(
  engine: Pick<Engine, "cas">,
  thread: ThreadRecord,
): Promise<ThreadIndex> {
  const steps = await bareSteps(engine.cas, thread);
  const column = <T>(of: (step: BareStep) => T): T[] => steps.map(of);
  return {
    threadId: thread.threadId,
    head: thread.head,
    stepCount: steps.length,
    columns: {
      role: column(({ role }) => role),
      outcome: column(({ outcome }) => outcome),
      status: column(({ meta }) => shortText(meta.status)),
      stateHash: column(({ stateHash }) => stateHash),
      timestamp: column(({ timestamp }) => timestamp),
      durationMs: column(durationOf),
      agent: column(({ run }) => run?.agent?.binding ?? run?.agent?.name ?? null),
      tokens: column(({ run }) =>
        run?.usage ? run.usage.inputTokens + run.usage.outputTokens : null,
      ),
      costUsd: column(({ run }) => run?.usage?.costUsd ?? null),
      condition: column(({ route }) => route?.condition ?? null),
      from: column(({ route }) => route?.from ?? null),
      evidence: column(({ run }) => run?.evidence?.length ?? 0),
      files: column(({ workspace }) => workspace !== undefined),
      childThread: column(({ childThread }) => childThread),
      group: column(({ group }) => group ?? null),
    },
  };
}

function durationOf({ run }: BareStep): number | null {
  const { startedAt, completedAt } = run ?? {};
  return startedAt === undefined || completedAt === undefined ? null : completedAt - startedAt;
}

function shortText(value: unknown): string | null {
  return typeof value === "string" && value.length <= MOST_CHARS ? value : null;
}
