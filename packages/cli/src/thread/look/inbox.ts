import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { printable, printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { ago } from "../../terminal/times.ts";
import { howToContinue } from "../view/how-to-continue.ts";
import { waitingFor } from "../view/waiting-for.ts";

/** What threads ask people, the longest waiting one last; each with the command that answers it. */
export function inbox(
  threads: readonly ThreadSummary[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  return threads.map((thread) => letter(thread, { style, nowMs })).join("\n");
}

function letter(
  { threadId, workflow, title, waits, updatedAt }: ThreadSummary,
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  const called = title === null ? "" : `  ${printableLine(title, 60)}`;
  const head = `${style.bold(threadId)}  ${workflow}${called}  ${style.dim(ago(updatedAt, nowMs))}`;
  const asked = waits.flatMap((wait) => {
    const words = `${style.yellow(waitingFor(wait))} ${printable(wait.message).trimEnd()}`;
    const how = style.dim(howToContinue(threadId, wait, style));
    return [...words.split("\n"), how].map((line) => `  ${line}`);
  });
  return `${[head, ...asked].join("\n")}\n`;
}
