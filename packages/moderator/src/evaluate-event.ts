/** Expressions about what came from outside and belongs to no thread: the filter and the prompt of a trigger. What came
 *  is as untrusted as the steps of a thread, and they are evaluated like rules. */
import {
  err,
  type Failure,
  failure,
  type JsonValue,
  type ModeratorContext,
  ok,
  type Result,
  START,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { asking } from "./asking.ts";
import { causeOf, parseExpression } from "./expression.ts";
import { fillTemplate } from "./fill-template.ts";

/** What expressions see of it. */
export type EventNames = { readonly [name: string]: JsonValue };

/** Whether a filter holds. Fails with `TRIGGER_FAILED`, and only so. */
export async function eventPasses(
  filter: string,
  names: EventNames,
): Promise<Result<boolean, Failure>> {
  const parsed = parseExpression(filter, "here");
  if (!parsed.ok) return failed("the filter", parsed.error.message);
  try {
    return ok((await asking(NO_THREAD, names)(parsed.value, "truth")) === "true");
  } catch (thrown) {
    return failed("the filter", causeOf(thrown));
  }
}

/** The template with its placeholders filled in. Fails with `TRIGGER_FAILED`, and only so. */
export async function fillFromEvent(
  template: string,
  names: EventNames,
): Promise<Result<string, Failure>> {
  try {
    return ok(await fillTemplate(template, NO_THREAD, names));
  } catch (thrown) {
    const cause = thrown instanceof WorkflowError ? thrown.failure.message : causeOf(thrown);
    return failed("the prompt", cause);
  }
}

/** Always the same one: the evaluating process is told of it once. */
const NO_THREAD: ModeratorContext = {
  ...{ threadId: "", depth: 0, bundleHash: "", steps: [] },
  start: { role: START, content: "", meta: {}, timestamp: 0, parentState: null },
};

function failed(what: string, cause: string): Result<never, Failure> {
  return err(
    failure(
      "TRIGGER_FAILED",
      `${what} of the trigger failed: ${cause}`,
      "nothing was started; try it out with: uncaged-workflow trigger run <trigger> <file>",
    ),
  );
}
