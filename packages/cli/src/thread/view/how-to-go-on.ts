import { raisingOptions, type Suspension } from "@uncaged/workflow-protocol";
import type { Style } from "../../terminal/style.ts";
import { shortId } from "./short-id.ts";

/** The command that makes a waiting thread continue. */
export function howToGoOn(
  threadId: string,
  { kind, limit }: Suspension,
  { columns }: Pick<Style, "columns">,
): string {
  const [verb, how] =
    kind === "limit" ? ["raise it with", raisingOptions(limit)] : ["answer with", "-p <answer>"];
  const line = `${verb}: uncaged-workflow thread resume ${threadId} ${how}`;
  // A command broken by the terminal is harder to copy than one with short names.
  if (columns === null || line.length < columns - 2) return line;
  return `${verb}: uwf thread resume ${shortId(threadId)} ${how}`;
}
