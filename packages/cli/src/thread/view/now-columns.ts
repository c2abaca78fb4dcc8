import type { ThreadActivity } from "@uncaged/workflow-protocol";
import type { Column } from "../../terminal/render-table.ts";
import { duration } from "../../terminal/times.ts";
import { activityText } from "./activity-lines.ts";

type Row = { activity: ThreadActivity | null };

/** Who is at work, and on what; none if nobody is. These columns come last, so what is too long is cut. */
export function nowColumns(threads: readonly Row[], nowMs: number): Column<Row>[] {
  if (threads.every(({ activity }) => activity === null)) return [];
  return [
    { title: "ROLE", cell: ({ activity }) => activity?.role ?? "" },
    { title: "AGENT", spare: true, cell: ({ activity }) => activity?.agent ?? "" },
    { title: "NOW", cell: ({ activity }) => doing(activity, nowMs) },
  ];
}

/** The current activity, and its duration. */
function doing(activity: ThreadActivity | null, nowMs: number): string {
  if (activity === null) return "";
  const { current, since } = activity;
  const went = duration(nowMs - (current?.timestamp ?? since));
  return current === null ? went : `${went}  ${activityText(current)}`;
}
