import { leftWorkspaces, unpushedThreads } from "@uncaged/workflow-execute";
import { hasIndex } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { withEngine } from "../command/with-engine.ts";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "worktrees";
const SHOWN = 5;

/** Checks that no git worktree of a thread that has ended stands. One that has what is in no step stays on purpose, so it
 *  is not wrong. Of a root that machines share: that no thread has its files on one machine only. */
export async function checkWorktrees({ root, env }: DoctorContext): Promise<Check> {
  if (!hasIndex(root)) return fine(NAME, "none yet");
  const left = await withEngine({ env }, leftWorkspaces);
  const unpushed = await withEngine({ env }, unpushedThreads);
  if (unpushed.length > 0) {
    const named = unpushed.slice(0, SHOWN).map((each) => `${each.threadId} on ${each.machine}`);
    const others = unpushed.length > SHOWN ? ", …" : "";
    return doubtful(
      NAME,
      `${count(unpushed.length, "thread")} with files on one machine only: ${named.join(", ")}${others}`,
      "see that the machine can push to the repository's remote; the next step there pushes all of it",
    );
  }
  if (left.length === 0) return fine(NAME, "none of threads that have ended");
  const shown = left.slice(0, SHOWN).join(", ");
  const more = left.length > SHOWN ? ", …" : "";
  return doubtful(
    NAME,
    `${count(left.length, "worktree")} of threads that have ended: ${shown}${more}`,
    "uncaged-workflow workspace gc",
  );
}
