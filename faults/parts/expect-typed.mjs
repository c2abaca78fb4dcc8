import assert from "node:assert/strict";
import { failureCode } from "./command.mjs";

/** A command went well, or it says what is wrong by a code of ours. */
export function expectTyped(ran) {
  if (ran.code === 0) return;
  const code = failureCode(ran);
  assert.ok(code !== null && code !== "INTERNAL", `exit ${ran.code ?? ran.signal}: ${ran.stderr}`);
}
