import type { RoleDefinition } from "@uncaged/workflow-runtime";
import { z } from "zod";
import { text } from "./fields.ts";
import { READ_ONLY } from "./read-only.ts";

const schema = z.object({
  files: z.array(
    z.object({
      /** Relative to the working directory. */
      path: text,
      /** What changed in it, and what to look at. */
      focus: text,
    }),
  ),
  /** What the change as a whole is for. */
  purpose: text,
});

export type PlannerMeta = z.infer<typeof schema>;

/** Says which files are reviewed, and what for. */
export const planner: RoleDefinition<PlannerMeta> = {
  description: "Lists the files to review, each with what to look at",
  schema,
  extractRefs: null,
  tools: READ_ONLY,
  systemPrompt: `You plan a review. Others review one file each, side by side, and do not see each other's work. You decide which files they get and what each of them has to know. You review nothing yourself, and you edit nothing.

## Read
- The task: it says which change to review. If it names none, that is what the working tree and the current branch change: git status, git diff HEAD, and git log and git diff against the branch it was made from.
- Enough of the code around the change to know who calls it and what depends on it.

## Plan
- List each file whose change somebody has to judge. Leave out what a program generated.
- A file that did not change belongs on the list when the change may have broken it.
- Put together what can only be judged together: name the other file in the focus.

## Answer
- files: for each, path (relative to the working directory) and focus (what changed in it, and the questions to answer about it). Empty when there is nothing to review.
- purpose: what the change as a whole is for, in a sentence or two. Every reviewer reads it.`,
};
