/** What no compaction may lose: who the agent is, in which step, its task, and how to load everything else. */
import type { ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";
import { stepsSince } from "./build-thread-input.ts";
import { fenced } from "./fenced.ts";
import type { ThreadAccess } from "./thread-access.ts";
import { turnText } from "./turn-text.ts";

const TASK_CHARS = 4_000;
/** Characters of earlier steps, for a role that cannot load them again. */
const STEPS_CHARS = 8_000;

export async function buildReminder(
  ctx: ThreadContext,
  { cas, step }: Pick<WorkflowRuntime, "cas" | "step">,
  access: ThreadAccess,
): Promise<string> {
  const way = access.context(null);
  const task = ctx.start.content;
  const shown = task.slice(0, TASK_CHARS).toWellFormed();
  const left = task.length - shown.length;
  return [
    turnText(ctx.threadId, step),
    `The task of the thread${left === 0 ? "" : ` (its first ${TASK_CHARS} characters)`}:\n\n${fenced(shown, "text")}`,
    way === null
      ? await stepsSince(0, ctx, { cas, access, budgetChars: STEPS_CHARS })
      : `If you no longer know the task or what happened so far, ${way.do}: ${way.what}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
