/** What a workflow returns: its `result`, evaluated once the thread has completed. */
import {
  err,
  type Failure,
  failure,
  type JsonValue,
  type ModeratorContext,
  ok,
  parseJson,
  type Result,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { asking } from "./asking.ts";
import { causeOf, parseExpression } from "./expression.ts";

/** The value; null where the expression finds nothing. Fails with `RESULT_FAILED`, and only so: whatever the expression
 *  does, the thread that asks continues. */
export async function evaluateResult(
  result: string,
  context: ModeratorContext,
): Promise<Result<JsonValue, Failure>> {
  const parsed = parseExpression(result, "here");
  if (!parsed.ok) return failed(parsed.error.message);
  try {
    const json = await asking(context)(parsed.value, "json");
    const value = toJsonObject({ value: parseJson(json) })?.value;
    return value === undefined ? failed("its value is not plain JSON") : ok(value);
  } catch (thrown) {
    return failed(causeOf(thrown));
  }
}

function failed(cause: string): Result<never, Failure> {
  return err(
    failure(
      "RESULT_FAILED",
      `the result of the workflow could not be evaluated: ${cause}`,
      "correct `result` in the workflow; the steps of the thread are complete",
    ),
  );
}
