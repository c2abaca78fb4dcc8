/** Messages between the engine and the process that evaluates. */
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import type { Wanted } from "./answer-in.ts";

/** Everything about a thread except its steps. */
export type ThreadHead = Omit<ModeratorContext, "steps">;

export type ToEvaluator =
  /** `steps`: those after the ones it has, as the JSON text of a list. */
  | { type: "load"; thread: number; head: ThreadHead; steps: string }
  | { type: "forget"; thread: number }
  /** Includes the steps added since. `names`: what the expression sees besides, as the JSON text of an object. */
  | {
      type: "evaluate";
      thread: number;
      steps: string | null;
      names: string;
      expression: string;
      wanted: Wanted;
    };

/** One reply to each `evaluate` and, once the process can begin, one at the start: `ready`. */
export type FromEvaluator =
  | { type: "ready" }
  | { type: "answer"; answer: string }
  | { type: "failed"; cause: string };
