import { runningHost } from "@uncaged/workflow-execute";
import { readSettings } from "@uncaged/workflow-register";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "tasks";

/** Checks that somebody merges approved tasks, where the configuration says that the host does. */
export async function checkTasks({ root }: DoctorContext): Promise<Check> {
  const settings = await readSettings(root);
  // Another check reports an unreadable configuration.
  if (!settings.ok || !settings.value.tasks.mergeByHost)
    return fine(NAME, "approved ones are merged by task merge");
  if (settings.value.tasks.mergeCheck === null)
    return doubtful(
      NAME,
      "config.mergeByHost has no effect: without a check the host merges nothing",
      "set config.mergeCheck in workflow.yaml, for example to npm test",
    );
  return runningHost(root) === null
    ? doubtful(NAME, "approved ones are merged by the host, and none is up", "uncaged-workflow up")
    : fine(NAME, "approved ones are merged by the host");
}
