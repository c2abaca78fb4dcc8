import { isThreadId, PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import type { Io } from "./io.ts";

/** Thread of the step in which this command runs, from the tag that all its processes carry; null: none. */
export function threadOfStep(env: Io["env"]): string | null {
  const [threadId = ""] = env[PROCESS_TAG_ENV]?.split(/[:/]/) ?? [];
  return isThreadId(threadId) ? threadId : null;
}
