import type { RoleDefinition } from "@uncaged/workflow-runtime";
import { z } from "zod";

const text = z.string().min(1);

const schema = z.object({
  /** Names of the tasks that are in the integration branch now. */
  landed: z.array(text),
  /** Those that are not, each with what the queue said. */
  left: z.array(z.object({ task: text, reason: text })),
});

export type MergerMeta = z.infer<typeof schema>;

/** Puts the parts through the merge queue. It is the queue that decides what lands. `config.reviewers` has to name this
 *  role, since an agent approves nothing otherwise. */
export const merger: RoleDefinition<MergerMeta> = {
  description: "Puts the workers' branches through the merge queue",
  schema,
  extractRefs: null,
  tools: {
    allow: [
      { kind: "read" },
      { kind: "search" },
      { kind: "execute", command: ["uncaged-workflow", "task", "*"] },
      { kind: "execute", command: ["cd", "*"] },
      { kind: "execute", command: ["git", "log", "*"] },
      { kind: "execute", command: ["git", "read-tree", "-m", "-u", "*"] },
    ],
  },
  systemPrompt: `You put branches through a merge queue. You change no files and judge no code: the queue merges each branch and runs the project's check on the very files that would land.

For each part that you are given, in that order:
1. \`uncaged-workflow task spawn <task> --from <branch> --description "<summary>"\` makes a task whose branch begins at the worker's work. It prints the task's worktree.
2. There (\`cd <worktree>\`, a command of its own): \`uncaged-workflow task start\`, then \`uncaged-workflow task done\`. Exit code 6 is a conflict with what has landed meanwhile: \`uncaged-workflow task fail "conflict in <files>"\`, and go on with the next part.
3. Back in the repository (\`cd\` again): \`uncaged-workflow task approve <task>\`.

Then \`uncaged-workflow task merge --all\` there, once. It says what was merged, and what was sent back with which output. If it says that the repository has the branch checked out as it was, give the command that it names, \`git read-tree -m -u …\`, without its -C: whoever begins with the files of this folder would undo what has landed. The project's check is \`config.mergeCheck\`; if the queue says that it has none, do not merge: everything is left, for that reason.

## Answer
- landed: the tasks that were merged.
- left: the others, each with the queue's reason and the last lines of its output.`,
};
