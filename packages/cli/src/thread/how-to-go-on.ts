import type { Suspension } from "@uncaged/workflow-protocol";
import type { Style } from "../style.ts";
import { shortId } from "./short-id.ts";

/** What a person types to have a thread that waits go on. */
export function howToGoOn(
  threadId: string,
  { kind }: Suspension,
  { columns }: Pick<Style, "columns">,
): string {
  const [verb, how] =
    kind === "limit" ? ["raise it with", "--max-steps <n>"] : ["answer with", "-p <answer>"];
  const line = (id: string): string => `${verb}: uncaged-workflow thread resume ${id} ${how}`;
  // A command that the terminal breaks is harder to copy than a short id.
  const fits = columns === null || line(threadId).length < columns - 2;
  return line(fits ? threadId : shortId(threadId));
}
