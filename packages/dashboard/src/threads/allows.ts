import type { Bulk, ThreadRow } from "@uncaged/workflow-gateway/contract";
import { canMove } from "@uncaged/workflow-protocol";

/** Whether the verb can do anything with a thread that stands like this; the engine decides again. */
export function allows(verb: Bulk["verb"], { status }: Pick<ThreadRow, "status">): boolean {
  switch (verb) {
    case "pause":
      return canMove(status, "paused");
    case "resume":
      return status === "paused" || status === "idle" || status === "queued";
    case "stop":
      return status === "running" || status === "queued";
    case "kill":
      return canMove(status, "aborted");
  }
}
