import type { ThreadStatus } from "@uncaged/workflow-protocol";
import { count } from "../../command/count.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { ago } from "../../terminal/times.ts";
import { paintStatus } from "../view/paint-status.ts";
import type { PlannedThread } from "./planned-threads.ts";

/** More are counted and not listed. */
const LISTED = 10;

/** What a verb is about to do: `kill 3 threads: 2 running, 1 idle`, and which. */
export function renderPlan(
  verb: string,
  planned: readonly PlannedThread[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  const there = planned.flatMap((thread) => ("missing" in thread ? [] : [thread]));
  const statuses = new Map<ThreadStatus, number>();
  for (const { status } of there) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const counted = [...statuses].map(([status, threads]) => `${threads} ${status}`).join(", ");
  const lines = there
    .slice(0, LISTED)
    .map(
      ({ threadId, workflow, status, updatedAt }) =>
        `  ${threadId}  ${printableLine(workflow, 40)}  ${paintStatus(style, status)}  ${style.dim(ago(updatedAt, nowMs))}`,
    );
  const more = there.length > LISTED ? [`  and ${there.length - LISTED} more`] : [];
  const head = `${verb} ${count(there.length, "thread")}${counted === "" ? "" : `: ${counted}`}`;
  return `${[head, ...lines, ...more].join("\n")}\n`;
}
