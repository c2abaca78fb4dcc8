import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import { ago, isoSeconds } from "../terminal/times.ts";

/** Versions of a workflow, the current one first. */
export function versionTable(
  versions: readonly { hash: string; timestamp: number }[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  const rows = versions.map((version, at) => ({ ...version, at }));
  return renderTable(rows, [
    {
      title: "VERSION",
      cell: ({ hash }) => hash,
      paint: (padded, { at }) => (at === 0 ? style.bold(padded) : padded),
    },
    { title: "ADDED", cell: ({ timestamp }) => isoSeconds(timestamp) },
    {
      title: "",
      cell: ({ at, timestamp }) => (at === 0 ? "present" : ago(timestamp, nowMs)),
      paint: style.dim,
    },
  ]);
}
