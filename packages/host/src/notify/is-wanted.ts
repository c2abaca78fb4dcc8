import type { PendingNotice } from "@uncaged/workflow-protocol";
import type { ListenerSettings } from "@uncaged/workflow-register";

/** Whether a notice passes the listener's filter. */
export function isWanted(
  { events, workflows, labels }: Pick<ListenerSettings, "events" | "workflows" | "labels">,
  notice: Pick<PendingNotice, "event" | "workflow" | "labels">,
): boolean {
  return (
    events.includes(notice.event) &&
    (workflows === null || workflows.includes(notice.workflow)) &&
    Object.entries(labels).every(([key, value]) => notice.labels[key] === value)
  );
}
