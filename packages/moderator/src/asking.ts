/** Evaluates expressions about a thread; all of one decision or of one template share one time limit. */
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import { answerIn, type Wanted } from "./answer-in.ts";
import { evaluateApart } from "./evaluator.ts";
import { type Expression, isTooMuchHere } from "./expression.ts";
import { LIMITS } from "./limits.ts";
import { type Names, namesFor, rootOf } from "./names.ts";

/** Rejects with what the evaluator threw; `causeOf` puts it into words. */
export type Ask = (expression: Expression, wanted: Wanted) => Promise<string>;

export function asking(context: ModeratorContext, given: Names = {}): Ask {
  const names = namesFor(context, given);
  let leftMs: number = LIMITS.timeoutMs;
  return async (expression, wanted) => {
    if (expression.isBounded) {
      try {
        // Nearly every rule ends here, at a fraction of the cost of asking another process.
        return answerIn(wanted, await expression.evaluate(rootOf(context, names)), "here");
      } catch (thrown) {
        if (!isTooMuchHere(thrown)) throw thrown;
      }
    }
    const limitMs = Math.max(1, leftMs);
    const { answer, tookMs } = await evaluateApart({ context, names, expression, wanted, limitMs });
    leftMs -= tookMs;
    return answer;
  };
}
