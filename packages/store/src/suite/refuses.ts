import assert from "node:assert/strict";
import { type ErrorCode, failureFrom } from "@uncaged/workflow-protocol";

/** Asserts that a call was refused with this code, in a message that contains all of `words`, and with a hint on what
 *  to do next. */
export async function refuses(
  call: Promise<unknown>,
  code: ErrorCode,
  ...words: readonly (string | number)[]
): Promise<void> {
  const reason = await call.then(
    () => null,
    (thrown: unknown) => failureFrom(thrown, "INTERNAL"),
  );
  assert.ok(reason !== null, `expected ${code}, and the call succeeded`);
  assert.equal(reason.code, code, reason.message);
  for (const word of words) assert.ok(reason.message.includes(String(word)), reason.message);
  assert.notEqual(reason.hint, "");
}
