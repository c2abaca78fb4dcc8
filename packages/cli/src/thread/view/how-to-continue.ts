import { isPersonWait, raisingOptions, type Wait } from "@uncaged/workflow-protocol";
import type { Style } from "../../terminal/style.ts";
import { formFields } from "./form-fields.ts";
import { shortId } from "./short-id.ts";

/** The command that makes a waiting thread continue. */
export function howToContinue(
  threadId: string,
  wait: Wait,
  { columns }: Pick<Style, "columns">,
): string {
  const { verb, before, after } = partsOf(wait);
  const line = `${verb}: uncaged-workflow ${before} ${threadId}${after}`;
  // A command broken by the terminal is harder to copy than one with short names.
  if (columns === null || line.length < columns - 2) return line;
  return `${verb}: uwf ${before} ${shortId(threadId)}${after}`;
}

/** What comes before and after the thread in the command. */
function partsOf(wait: Wait): { verb: string; before: string; after: string } {
  if (isPersonWait(wait)) {
    const member = wait.member === undefined ? "" : ` --member ${wait.member + 1}`;
    return { verb: "answer with", before: "answer", after: `${member}${formFields(wait.form)}` };
  }
  const before = "thread resume";
  if (wait.kind === "coordinator")
    return { verb: "have it go on with", before, after: " -p <what to do>" };
  return wait.kind === "limit"
    ? { verb: "raise it with", before, after: ` ${raisingOptions(wait.limit)}` }
    : { verb: "answer with", before, after: " -p <answer>" };
}
