import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { type Column, renderTable } from "../render-table.ts";
import type { Style } from "../style.ts";
import { ago } from "../times.ts";
import { paintStatus } from "./paint-status.ts";
import { shortId } from "./short-id.ts";

/** Threads one a line, as `list` and `ps` show them; `more` columns stand last. */
export function threadTable<Row extends ThreadSummary>(
  threads: readonly Row[],
  shown: { style: Style; nowMs: number; more: readonly Column<Row>[] },
): string {
  const { style, nowMs } = shown;
  return renderTable<Row>(
    threads,
    [
      {
        title: "THREAD",
        cell: ({ threadId }) => threadId,
        short: ({ threadId }) => shortId(threadId),
      },
      { title: "WORKFLOW", cell: ({ workflow }) => workflow },
      {
        title: "STATUS",
        cell: ({ status, stale }) => (stale ? `${status} (stale)` : status),
        paint: (padded, { status }) => paintStatus(style, status, padded),
      },
      { title: "STEPS", cell: ({ stepCount }) => String(stepCount), align: "right" },
      {
        title: "UPDATED",
        spare: true,
        cell: ({ updatedAt }) => ago(updatedAt, nowMs),
        paint: style.dim,
      },
      ...shown.more,
    ],
    style.columns,
  );
}
