import { type Failure, failure, WorkflowError } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { type ContextPage, DEFAULT_BUDGET_CHARS, threadPage } from "./thread-pages.ts";

/** A page of a thread as it is now, for its own steps. `budgetChars: null`: the usual. Throws `THREAD_NOT_FOUND`. */
export async function readThread(
  engine: Pick<Engine, "cas" | "store">,
  threadId: string,
  { budgetChars, before }: { budgetChars: number | null; before: number | null },
): Promise<{ page: ContextPage; text: string }> {
  const thread = await engine.store.get(threadId);
  if (thread === null) throw new WorkflowError(gone(threadId));
  return threadPage(engine, thread, { budgetChars: budgetChars ?? DEFAULT_BUDGET_CHARS, before });
}

function gone(threadId: string): Failure {
  return failure("THREAD_NOT_FOUND", `thread ${threadId} was removed`, "end your work");
}
