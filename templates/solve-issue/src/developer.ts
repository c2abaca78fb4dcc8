import type { RoleDefinition } from "@uncaged/workflow-runtime";
import { z } from "zod";
import { text } from "./fields.ts";

const schema = z
  .object({
    status: z.enum(["done", "failed"]),
    /** Thread in which the work was done; null when it was done without one. */
    childThread: text.nullable(),
    /** The commit that carries the change; null when failed. */
    commit: text.nullable(),
    summary: text,
    /** Why there is no change to submit; null when done. */
    reason: text.nullable(),
  })
  .refine((meta) => meta.status === "failed" || meta.commit !== null, {
    path: ["commit"],
    message: "done needs the commit",
  })
  .refine((meta) => meta.status === "done" || meta.reason !== null, {
    path: ["reason"],
    message: "failed needs the reason",
  });

export type DeveloperMeta = z.infer<typeof schema>;

/** Makes the change. Meant for `developerAgent()`, which runs another workflow as a child thread;
 *  the prompt serves an author who binds a single agent instead. */
export const developer: RoleDefinition<DeveloperMeta> = {
  description: "Makes the change in a child thread of the workflow develop",
  schema,
  extractRefs: null,
  systemPrompt: `You are the developer. You carry out the task you were handed, on the branch that is checked out in your working directory, until every acceptance criterion holds and the change is committed.

- Read the repository's rules for contributors first. Change only what the task needs, with tests for the new behaviour.
- Run the repository's checks; a criterion holds when you have seen it hold.
- Commit only what belongs to the change. No --no-verify, no force, no push: a later role submits.
- If the task cannot be done, leave the branch without a half-made commit and say why.

## Answer
- status: "done" when the change is committed and every criterion holds; otherwise "failed".
- childThread: the thread in which the work was done, if there is one; otherwise null.
- commit: the full name of the commit, as git rev-parse HEAD prints it; null when failed.
- summary: what was changed and how it was checked.
- reason: when failed, what prevented it; otherwise null.`,
};
