import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { printable } from "../printable.ts";
import type { Style } from "../style.ts";
import { ago } from "../times.ts";
import { howToGoOn } from "./how-to-go-on.ts";
import { waitingFor } from "./waiting-for.ts";

/** What threads ask a person, the one that waits longest last; each with the command that answers it. */
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
