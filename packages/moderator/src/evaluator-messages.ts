/** What the engine tells the process that evaluates, and what that answers. */
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import type { Wanted } from "./answer-in.ts";

/** Of a thread, all but its steps. */
export type ThreadHead = Omit<ModeratorContext, "steps">;

export type ToEvaluator =
  /** `steps`: those after the ones it has, a JSON text of a list. */
  | { type: "load"; thread: number; head: ThreadHead; steps: string }
  | { type: "forget"; thread: number }
  /** The steps that were added come along. */
  | { type: "evaluate"; thread: number; steps: string | null; expression: string; wanted: Wanted };

/** One to each `evaluate` and, when it can begin, one at the start: `ready`. */
export type FromEvaluator =
  | { type: "ready" }
  | { type: "answer"; answer: string }
  | { type: "failed"; cause: string };
