/** Models behind an OpenAI-compatible chat-completions endpoint.
 *
 *  1. This is the only retry layer: 429, 5xx, a broken connection, a stream that was cut.
 *  2. Only a reply with a finish reason is a reply. One that was cut, or that hit its length limit in the middle of
 *     a tool call, yields no tool call.
 *  3. The key goes into one header and nowhere else: no failure and no event contains it. Neither the key nor the
 *     prompt follows a redirect to another origin.
 *  4. Whatever the server sends, memory is bounded, and so is every number taken from it. */
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { type Attempt, attemptCompletion } from "./attempt-completion.ts";
import type { LlmFailure, LlmFn, LlmReply, LlmRequest } from "./chat.ts";
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
      const { outcome: _, ...asked } = attempt.failure;
      const { retryAfterMs: askedMs = null } = asked;
      const delayMs = retryDelayMs({ tries, askedMs, random, maxDelayMs });
      if (tries >= maxRetries || delayMs === null) return err(attempt.failure);
      request.onRetry?.({ ...asked, delayMs });
      if (!(await waited(delayMs, request))) return err(CANCELLED);
    }
  };
}

/** False: the request was given up meanwhile. */
function waited(delayMs: number, { standBack, signal }: LlmRequest): Promise<boolean> {
  if (standBack === undefined) return sleep(delayMs, signal);
  return standBack(delayMs).then(
    () => !signal.aborted,
    () => false,
  );
}

function resultOf(attempt: Exclude<Attempt, { kind: "transient" }>): Result<LlmReply, LlmFailure> {
  return attempt.kind === "reply" ? ok(attempt.reply) : err(attempt.failure);
}

const CANCELLED: LlmFailure = {
  outcome: "cancelled",
  reason: "the step was stopped while it waited for the model",
};
