import type { ListedThread } from "@uncaged/workflow-execute";
import { cost, tokens } from "../../terminal/money.ts";
import { printableLine } from "../../terminal/printable.ts";
import { type Column, renderTable } from "../../terminal/render-table.ts";
import type { Style } from "../../terminal/style.ts";
import { ago, duration } from "../../terminal/times.ts";
import { paintStatus } from "./paint-status.ts";
import { shortId } from "./short-id.ts";

const TITLE_CHARS = 60;
const TITLE_LEAST_CHARS = 16;

/** Threads one a line, as `list` and `ps` show them; `more` columns come last. */
export function threadTable<Row extends ListedThread>(
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
      {
        title: "TITLE",
        cell: ({ title }) => printableLine(title ?? "", TITLE_CHARS),
        least: TITLE_LEAST_CHARS,
        spare: true,
      },
      { title: "WORKFLOW", cell: ({ workflow }) => workflow },
      {
        title: "STATUS",
        cell: ({ status, stale }) => (stale ? `${status} (stale)` : status),
        paint: (padded, { status }) => paintStatus(style, status, padded),
      },
      { title: "STEPS", cell: ({ stepCount }) => String(stepCount), align: "right" },
      {
        title: "TOKENS",
        align: "right",
        spare: true,
        cell: ({ usage }) => tokens(usage),
      },
      { title: "COST", align: "right", spare: true, cell: ({ usage }) => cost(usage) },
      {
        title: "AGE",
        align: "right",
        spare: true,
        cell: ({ createdAt }) => duration(nowMs - createdAt),
      },
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
