import assert from "node:assert/strict";
import { failureFrom } from "@uncaged/workflow-protocol";

export async function failsWith(code: string, outcome: Promise<unknown>): Promise<void> {
  await assert.rejects(outcome, (thrown) => failureFrom(thrown, "INTERNAL").code === code, code);
}
