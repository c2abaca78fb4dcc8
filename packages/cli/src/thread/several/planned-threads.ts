import { type Engine, listThreads, observedStatus } from "@uncaged/workflow-execute";
import type { Failure, ThreadStatus, ThreadSummary } from "@uncaged/workflow-protocol";
import type { ThreadChoice } from "./choose-threads.ts";
import { findThreads } from "./find-threads.ts";

/** A thread that a verb is about to handle, in its current state; or a name that matches none. */
export type PlannedThread =
  | { threadId: string; workflow: string; status: ThreadStatus; updatedAt: number }
  | { threadId: string; missing: Failure };

type Several = Exclude<ThreadChoice, { kind: "one" }>;

/** The threads that were chosen, those that match newest first. `children`: what happens to a chosen thread whose
 *  parent is chosen as well; what is done to the parent may reach it. */
export async function plannedThreads(
  engine: Engine,
  choice: Several,
  children: "apart" | "with their parent",
): Promise<PlannedThread[]> {
  if (choice.kind === "named") return named(engine, choice.ids);
  const matching = await matchingThreads(engine, choice);
  if (children === "apart") return matching;
  const chosen = new Map(matching.map((thread) => [thread.threadId, thread]));
  return matching.filter(({ parentThread }) => parentThread === null || !chosen.has(parentThread));
}

async function named(engine: Engine, ids: readonly string[]): Promise<PlannedThread[]> {
  return (await findThreads(engine, ids)).map(({ word, found }) => {
    if (!found.ok) return { threadId: word, missing: found.error };
    const { threadId, workflow, updatedAt } = found.value;
    const { status } = observedStatus(found.value, engine.now());
    return { threadId, workflow, status, updatedAt };
  });
}

async function matchingThreads(
  engine: Engine,
  { standings, workflow, unchangedMs }: Extract<Several, { kind: "matching" }>,
): Promise<ThreadSummary[]> {
  const threads = await listThreads(engine, workflow === null ? {} : { workflow });
  const before = unchangedMs === null ? Number.POSITIVE_INFINITY : engine.now() - unchangedMs;
  return threads.filter(
    ({ status, stale, updatedAt }) =>
      (standings.includes(status) || (stale && standings.includes("orphaned"))) &&
      updatedAt < before,
  );
}
