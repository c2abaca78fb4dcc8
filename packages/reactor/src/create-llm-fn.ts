/** Models behind an OpenAI-compatible chat-completions endpoint.
 *
 *  1. One retry layer, here: 429, 5xx, a broken connection, a stream that was cut.
 *  2. Only a reply with a finish reason is a reply. One that was cut, or that ran into its length limit with a
 *     tool call half written, yields no tool call to anybody.
 *  3. The key goes into one header and nowhere else: no failure and no event carries it. */
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { type Attempt, attemptCompletion } from "./attempt-completion.ts";
import type { LlmFailure, LlmFn, LlmReply } from "./chat.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { sleep } from "./sleep.ts";

export type LlmProvider = {
  /** `https://host/v1`; `/chat/completions` is added. */
  baseUrl: string;
  model: string;
  /** The key itself; null for endpoints that want none. */
  apiKey: string | null;
  /** Of one try, from the request to the last byte. Default 10 minutes. */
  totalTimeoutMs?: number;
  /** Longest silence within one try. Default 2 minutes. */
  idleTimeoutMs?: number;
  /** Further tries after the first. Default 4. */
  maxRetries?: number;
  /** Longest wait before a further try; a server that asks for more is not waited for. Default 1 minute. */
  maxDelayMs?: number;
  /** For tests. */
  fetch?: typeof globalThis.fetch;
};

export function createLlmFn(provider: LlmProvider): LlmFn {
  const { maxRetries = 4, maxDelayMs = 60_000 } = provider;
  return async (request) => {
    for (let tries = 0; ; tries++) {
      const attempt = await attemptCompletion(provider, request);
      if (attempt.kind !== "transient") return resultOf(attempt);
      const delayMs = retryDelayMs({ tries, retryAfter: attempt.retryAfter, nowMs: Date.now() });
      if (tries >= maxRetries || delayMs > maxDelayMs) return err(attempt.failure);
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
