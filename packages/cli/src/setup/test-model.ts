import {
  err,
  FAULT_CODES,
  type Failure,
  failure,
  type ModelSettings,
  ok,
  type Result,
  type Usage,
} from "@uncaged/workflow-protocol";
import { createLlmFn } from "@uncaged/workflow-reactor";

export type TestedModel = { model: string; answeredInMs: number; usage: Usage };

const WITHIN_MS = 30_000;

/** Asks a model for one word: it is reachable, the key is right, and it speaks the protocol. Fails with the code of
 *  what went wrong, such as `AGENT_AUTH`; no message contains the key. */
export async function testModel(
  reference: string,
  settings: ModelSettings,
  at: { now: () => number; signal: AbortSignal },
): Promise<Result<TestedModel, Failure>> {
  const limits = { totalTimeoutMs: WITHIN_MS, idleTimeoutMs: WITHIN_MS, maxRetries: 0 };
  const llm = createLlmFn({ ...settings, ...limits });
  const startedMs = at.now();
  const reply = await llm({
    messages: [{ role: "user", content: "Answer with the one word: ready" }],
    tools: [],
    signal: at.signal,
  });
  if (reply.ok) {
    return ok({ model: reference, answeredInMs: at.now() - startedMs, usage: reply.value.usage });
  }
  const { outcome, reason } = reply.error;
  const message = `${reference} at ${settings.baseUrl} does not answer: ${reason}`;
  return err(failure(FAULT_CODES[outcome], message, hintFor(outcome)));
}

function hintFor(outcome: keyof typeof FAULT_CODES): string {
  if (outcome === "auth")
    return "nothing was written; check the key and try again; --skip-test writes anyway";
  if (outcome === "rate_limited")
    return "nothing was written; try again later, or with --skip-test";
  return "nothing was written; check the URL and the model's name; --skip-test writes anyway";
}
