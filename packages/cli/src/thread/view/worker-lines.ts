import type { WorkerView } from "@uncaged/workflow-protocol";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { money } from "./spent.ts";

const SUMMARY_CHARACTERS = 120;

/** One line for each worker of a coordinating step, and one with how it ended. */
export function workerLines(workers: readonly WorkerView[] | undefined, style: Style): string[] {
  return (workers ?? []).flatMap(({ id, title, threadId, status, summary, usage }) => {
    const about = [threadId ?? "no thread yet", ...money(usage)].join("  ");
    const head = `  ${style.bold(id)} ${printableLine(title, 60)}  ${status}  ${style.dim(about)}`;
    const words = summary === null ? "" : printableLine(summary, SUMMARY_CHARACTERS);
    return words === "" ? [head] : [head, style.dim(`     ${words}`)];
  });
}
