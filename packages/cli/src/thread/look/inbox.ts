import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { printable } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { ago } from "../../terminal/times.ts";
import { howToGoOn } from "../view/how-to-go-on.ts";
import { waitingFor } from "../view/waiting-for.ts";

/** What threads ask a person, the longest waiting one last; each with the command that answers it. */
export function inbox(
  threads: readonly ThreadSummary[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  return threads.map((thread) => letter(thread, { style, nowMs })).join("\n");
}

function letter(
  { threadId, workflow, suspended, updatedAt }: ThreadSummary,
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  if (suspended === null) return "";
  const head = `${style.bold(threadId)}  ${workflow}  ${style.dim(ago(updatedAt, nowMs))}`;
  const words = `${style.yellow(waitingFor(suspended))} ${printable(suspended.message).trimEnd()}`;
  const lines = words.split("\n").map((line) => `  ${line}`);
  return `${[head, ...lines, style.dim(`  ${howToGoOn(threadId, suspended, style)}`)].join("\n")}\n`;
}
