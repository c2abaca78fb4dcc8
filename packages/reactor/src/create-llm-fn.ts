/** Models behind an OpenAI-compatible chat-completions endpoint.
 *
 *  1. One retry layer, here: 429, 5xx, a broken connection, a stream that was cut.
 *  2. Only a reply with a finish reason is a reply. One that was cut, or that ran into its length limit with a
 *     tool call half written, yields no tool call to anybody.
 *  3. The key goes into one header and nowhere else: no failure and no event carries it. Neither it nor the prompt
 *     follows a redirect to another origin.
 *  4. Whatever the server sends, memory is bounded, and so is each number that is taken from it. */
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { type Attempt, attemptCompletion } from "./attempt-completion.ts";
import type { LlmFailure, LlmFn, LlmReply } from "./chat.ts";
import type { LlmProvider } from "./llm-provider.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { sleep } from "./sleep.ts";

export function createLlmFn(provider: LlmProvider): LlmFn {
  const { maxRetries = 4, maxDelayMs = 60_000, retryTimeouts = true } = provider;
  const { random = Math.random } = provider;
  return async (request) => {
    for (let tries = 0; ; tries++) {
      const attempt = await attemptCompletion(provider, request);
      if (attempt.kind !== "transient") return resultOf(attempt);
      if (attempt.failure.outcome === "timeout" && !retryTimeouts) return err(attempt.failure);
      const { retryAfter } = attempt;
      const delayMs = retryDelayMs({ tries, retryAfter, nowMs: Date.now(), random, maxDelayMs });
      if (tries >= maxRetries || delayMs === null) return err(attempt.failure);
      request.onRetry?.({ reason: attempt.failure.reason, delayMs });
      if (!(await sleep(delayMs, request.signal))) return err(CANCELLED);
    }
  };
}

function resultOf(attempt: Exclude<Attempt, { kind: "transient" }>): Result<LlmReply, LlmFailure> {
  return attempt.kind === "reply" ? ok(attempt.reply) : err(attempt.failure);
}

const CANCELLED: LlmFailure = {
  outcome: "cancelled",
  reason: "the step was stopped while it waited for the model",
};
