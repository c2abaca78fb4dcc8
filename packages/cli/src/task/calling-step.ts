import { stepOwner, threadActivity } from "@uncaged/workflow-execute";
import { leaseOf, PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import type { TaskDefaults } from "@uncaged/workflow-register";
import type { CallingStep } from "@uncaged/workflow-tasks";
import type { Io } from "../command/io.ts";
import { stepStore } from "../command/step-store.ts";
import { threadOfStep } from "../command/thread-of-step.ts";
import { withEngine } from "../command/with-engine.ts";

/** The step in which this command runs, and whether its role may review; null: it runs in none. */
export async function callingStep(
  io: Io,
  { reviewers }: Pick<TaskDefaults, "reviewers">,
): Promise<CallingStep | null> {
  const thread = threadOfStep(io.env);
  if (thread === null) return null;
  const lent = stepStore(io.env);
  if (lent !== null) {
    const { stepMayReview } = await import("./step-tasks.ts");
    return { thread, mayReview: await stepMayReview(lent) };
  }
  // Members of a group have no lease of their own: which of them this is nobody can say.
  const owner = stepOwner(io.env[PROCESS_TAG_ENV]);
  if (owner === null || reviewers.length === 0) return { thread, mayReview: false };
  return withEngine(io, async (engine) => {
    const found = await engine.store.get(thread);
    const activity = await threadActivity(engine.live, thread);
    if (found === null || activity === null || leaseOf(found)?.fence !== owner.fence)
      return { thread, mayReview: false };
    return { thread, mayReview: reviewers.includes(`${found.workflow}/${activity.role}`) };
  });
}
