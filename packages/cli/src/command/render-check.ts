import { type CheckReport, EXIT, type Problem } from "@uncaged/workflow-protocol";
import { printable } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import type { Output } from "./command.ts";
import { count } from "./count.ts";

/** A report of `verify` or `fsck`; exit code 5 when there is a problem. */
export function checkOutput(report: CheckReport, what: string): Output {
  return {
    document: report,
    human: (style) => text(report, { style, what }),
    exitCode: report.ok ? EXIT.success : EXIT.storage,
  };
}

function text(report: CheckReport, { style, what }: { style: Style; what: string }): string {
  const checked = `${count(report.checked, what)} checked`;
  if (report.ok) return `${style.green("ok")}: ${checked}, no problem found\n`;
  return `${renderProblems(report.problems, style)}\n${style.red("not ok")}: ${checked}, ${count(report.problems.length, "problem")} found\n`;
}

export function renderProblems(problems: readonly Problem[], style: Style): string {
  return renderTable(problems, [
    { title: "HASH", cell: ({ hash }) => hash },
    { title: "PROBLEM", cell: ({ code }) => code, paint: style.red },
    { title: "WHAT", cell: ({ message }) => printable(message) },
  ]);
}
