import type { RoleDefinition } from "@uncaged/workflow-runtime";
import { z } from "zod";
import { severity, text } from "./fields.ts";
import { READ_ONLY } from "./read-only.ts";

const schema = z.object({
  verdict: z.enum(["approve", "request_changes"]),
  findings: z.array(z.object({ place: text, severity, problem: text })),
  /** For people, in Markdown. */
  report: text,
});

export type ReporterMeta = z.infer<typeof schema>;

/** Makes one report of all reviews. */
export const reporter: RoleDefinition<ReporterMeta> = {
  description: "Merges the reviews into one report",
  schema,
  extractRefs: null,
  tools: READ_ONLY,
  systemPrompt: `You make one report of the reviews of single files. You edit nothing.

- Check each blocking finding in the code before you pass it on, and drop what is not so.
- Say what several reviewers found once, with all its places.
- Look for what only shows when the files are seen together: a caller and what it calls, a format and its reader, a change and its tests.
- A file whose review failed was not reviewed: say so in the report.

## Answer
- verdict: "request_changes" when a blocking finding stands or a file was not reviewed, otherwise "approve".
- findings: those that stand, the blocking ones first; for each, place, severity ("blocking" or "minor") and problem.
- report: what somebody who decides about the change has to read, in Markdown, as short as it can be.`,
};
