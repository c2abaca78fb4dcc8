import { runningThreads } from "@uncaged/workflow-execute";
import { hasIndex } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { withEngine } from "../command/with-engine.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

const NAME = "threads";

/** Checks that no thread has lost its runner. */
export async function checkThreads({ root, env }: DoctorContext): Promise<Check> {
  if (!hasIndex(root)) return fine(NAME, "none yet");
  return withEngine({ env }, async (engine) => {
    const running = await runningThreads(engine);
    const stale = running.filter((thread) => thread.stale).map(({ threadId }) => threadId);
    if (stale.length === 0)
      return fine(NAME, `${count(running.length, "thread")} running, all with a live runner`);
    return wrong(
      NAME,
      `${count(stale.length, "thread")} lost their runner: ${stale.join(", ")}`,
      stale.map((id) => `uncaged-workflow thread resume ${id}`).join("; "),
    );
  });
}
