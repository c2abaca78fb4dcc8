import { leftWorkspaces } from "@uncaged/workflow-execute";
import { hasIndex } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { withEngine } from "../command/with-engine.ts";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "worktrees";
const SHOWN = 5;

/** Checks that no git worktree of a thread that has ended stands. One that has what is in no step stays on purpose, so it
 *  is not wrong. */
export async function checkWorktrees({ root, env }: DoctorContext): Promise<Check> {
  if (!hasIndex(root)) return fine(NAME, "none yet");
  const left = await withEngine({ env }, leftWorkspaces);
  if (left.length === 0) return fine(NAME, "none of threads that have ended");
  const shown = left.slice(0, SHOWN).join(", ");
  const more = left.length > SHOWN ? ", …" : "";
  return doubtful(
    NAME,
    `${count(left.length, "worktree")} of threads that have ended: ${shown}${more}`,
    "uncaged-workflow workspace gc",
  );
}
