/** The graph of a workflow for a terminal: each state in a box, below it an arrow for each way out.
 *
 *      ┌────────┐
 *      │ writer │
 *      └┬───────┘
 *       ├─ written ─▶ reviewer
 *       └─ stuck ───▶ ? asks a person
 */
import { END, START, SUSPEND, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { printable, printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { widthOf } from "../terminal/text-width.ts";
import { type GraphEdge, type GraphNode, graphNodes } from "./graph-nodes.ts";

/** A condition's name may be a whole expression. */
const MAX_LABEL = 48;

export function drawGraph(descriptor: WorkflowDescriptor, style: Style): string {
  return graphNodes(descriptor)
    .map((node) => drawNode(node, style))
    .join("\n\n");
}

function drawNode({ name, edges, members, byPerson }: GraphNode, style: Style): string {
  const title = name === START ? "start" : printable(name);
  const state = byPerson ? `${title} (a person)` : title;
  const shown = members === null ? state : `${title}: ${shortLabel(members)}`;
  const line = "─".repeat(widthOf(shown) + 2);
  const foot = edges.length === 0 ? line : `┬${line.slice(1)}`;
  const labels = edges.map(({ label }) => shortLabel(label));
  const width = Math.max(0, ...labels.map(widthOf));
  const ways = edges.map((edge, at) => {
    const branch = at === edges.length - 1 ? "└" : "├";
    const arrow = arrowTo(labels[at] ?? "", { width, style });
    return ` ${branch}${arrow} ${target(edge, style)}`;
  });
  // A state without ways out ends the thread.
  if (edges.length === 0) ways.push(`  ${style.dim("the thread ends")}`);
  return [`┌${line}┐`, `│ ${style.bold(shown)} │`, `└${foot}┘`, ...ways].join("\n");
}

function arrowTo(label: string, { width, style }: { width: number; style: Style }): string {
  if (width === 0) return "─▶";
  if (label === "") return `${"─".repeat(width + 4)}▶`;
  return `─ ${style.cyan(label)} ${"─".repeat(width - widthOf(label) + 1)}▶`;
}

function target({ to, loops }: GraphEdge, { green, yellow, dim }: Style): string {
  if (to === END) return green("■ end");
  if (to === SUSPEND) return yellow("? asks a person");
  return loops ? `${to} ${dim("↺")}` : to;
}

function shortLabel(label: string): string {
  return printableLine(label, MAX_LABEL);
}
