import type { ThreadCheck } from "@uncaged/workflow-execute";
import { count } from "../command/count.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import type { CheckDocument, PlacedFinding } from "./check-document.ts";

const LINE = 160;

/** A check for people: the findings, then each thread that would have taken another route, then the verdict. */
export function checkText({ name, hash, findings, threads }: CheckDocument, style: Style): string {
  const parts = [
    findingTable(findings, style),
    ...(threads?.differing ?? []).map((thread) => threadText(thread, style)),
    `${style.bold(name)} ${style.dim(hash)}\n${verdict({ findings, threads }, style)}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function findingTable(findings: readonly PlacedFinding[], { red, yellow }: Style): string {
  return renderTable(findings, [
    {
      title: "",
      cell: ({ level }) => level,
      paint: (padded, { level }) => (level === "fault" ? red(padded) : yellow(padded)),
    },
    { title: "WHERE", cell: whereText },
    { title: "WHAT", cell: ({ message }) => printableLine(message, LINE) },
  ]);
}

function whereText({ place, line, column }: PlacedFinding): string {
  return line === undefined ? place : `${place} (${line}:${column})`;
}

function threadText(
  { threadId, status, routes, removedRoles, metas }: ThreadCheck,
  style: Style,
): string {
  const { bold, dim, red, green } = style;
  const lines = [
    ...removedRoles.map(({ round, role }) => ({ round, text: `${role}: there is no such role` })),
    ...metas.map(({ round, role, path, message }) => ({
      round,
      text: `${role}: its result does not fit: ${path === "" ? "" : `${path}: `}${message}`,
    })),
    ...routes.map(({ round, from, recorded, now, because }) => ({
      round,
      text: `${from} → ${red(recorded)} is now ${green(now ?? "a failure")} ${dim(`(${printableLine(because, LINE)})`)}`,
    })),
  ].sort((a, b) => a.round - b.round);
  const shown = lines.map(({ round, text }) => `  #${round} ${text}\n`).join("");
  return `${bold(threadId)}  ${status}\n${shown}`;
}

function verdict(
  { findings, threads }: Pick<CheckDocument, "findings" | "threads">,
  { red, green }: Style,
): string {
  const faults = findings.filter(({ level }) => level === "fault").length;
  const table =
    faults === 0 ? green("the table is sound") : red(`${count(faults, "fault")} in the table`);
  if (threads === null) return `${table}\n`;
  const { checked, differing } = threads;
  const ways =
    differing.length === 0
      ? green(`${count(checked, "thread")} checked, all would have taken the same route`)
      : red(`${differing.length} of ${count(checked, "thread")} would have taken another route`);
  return `${table}\n${ways}\n`;
}
