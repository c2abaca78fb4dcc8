import { setTimeout as later } from "node:timers";
import { boundedText } from "./bounded-text.ts";
import type { LlmFailure, LlmReply, LlmRequest } from "./chat.ts";
import { hideKey } from "./hide-key.ts";
import { knownUsage } from "./known-usage.ts";
import type { LlmProvider } from "./llm-provider.ts";
import { readCompletion } from "./read-completion.ts";
import type { WholeReply } from "./reply-builder.ts";
import { requestBody } from "./request-body.ts";
import { askedDelayMs } from "./retry-delay.ts";
import { sendRequest } from "./send-request.ts";

/** How one attempt ended. `transient` is worth a retry. */
export type Attempt =
  | { kind: "reply"; reply: LlmReply }
  | { kind: "final"; failure: LlmFailure }
  | { kind: "transient"; failure: LlmFailure };

const ERROR_CHARS = 2_000;
const STATUS_CHARS = 100;

export async function attemptCompletion(
  provider: LlmProvider,
  request: LlmRequest,
): Promise<Attempt> {
  const limits = startLimits(provider, request.signal);
  try {
    const url = `${provider.baseUrl.replace(/\/+$/, "")}/chat/completions`;
    const body = JSON.stringify(requestBody(provider.model, request));
    const { signal } = limits;
    const init = { method: "POST", headers: headersOf(provider), body, signal };
    const sent = await sendRequest(url, init, provider.fetch ?? globalThis.fetch);
    if (!sent.ok) {
      return {
        kind: "final",
        failure: { outcome: "crashed", reason: shown(sent.error, provider) },
      };
    }
    const response = sent.value;
    limits.heard();
    if (!response.ok) return await refused(response, provider);
    const read = await readCompletion(response, { onText: request.onText, heard: limits.heard });
    if (read.ok) return { kind: "reply", reply: replyOf(read.value, body.length) };
    const reason = shown(read.error.reason, provider);
    if (read.error.outcome === "crashed") return broken(reason, limits.hit());
    return { kind: "final", failure: { outcome: read.error.outcome, reason } };
  } catch (thrown) {
    return broken(shown(messageOf(thrown), provider), limits.hit());
  } finally {
    limits.end();
  }
}

function replyOf({ text, toolCalls, usage, chars }: WholeReply, sentChars: number): LlmReply {
  return { text, toolCalls, usage: knownUsage(usage, { sentChars, receivedChars: chars }) };
}

function headersOf({ apiKey }: LlmProvider): Record<string, string> {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  return apiKey === null ? headers : { ...headers, authorization: `Bearer ${apiKey}` };
}

/** A server's text for use in a message: shortened, and without our key, which it may repeat. */
function shown(text: string, { apiKey }: LlmProvider): string {
  return hideKey(text, apiKey).slice(0, ERROR_CHARS);
}

/** What an error status means. */
async function refused(response: Response, provider: LlmProvider): Promise<Attempt> {
  // Twice as much as is shown, so that a key cut in two by the end is not in what is shown.
  const body = shown(await boundedText(response, 2 * ERROR_CHARS).catch(() => ""), provider);
  const words = shown(response.statusText, provider).slice(0, STATUS_CHARS);
  const reason = `HTTP ${response.status} ${words}: ${body}`.trim();
  const { status } = response;
  const askedMs = askedDelayMs(response.headers.get("retry-after"), Date.now());
  const asked = askedMs === null ? {} : { retryAfterMs: askedMs };
  if (status === 429)
    return { kind: "transient", failure: { outcome: "rate_limited", reason, ...asked } };
  if (status >= 500 || status === 408)
    return { kind: "transient", failure: { outcome: "crashed", reason, ...asked } };
  if (status === 401 || status === 403)
    return { kind: "final", failure: { outcome: "auth", reason } };
  if (status === 413 || isOverflow(body))
    return { kind: "final", failure: { outcome: "context_overflow", reason } };
  return { kind: "final", failure: { outcome: "crashed", reason } };
}

/** Providers word it differently; these are the words that they share. */
function isOverflow(body: string): boolean {
  return /context[ _]length|context window|maximum context|too many tokens|prompt is too long/i.test(
    body,
  );
}

type Limit = "idle" | "total" | "stopped";

function broken(reason: string, hit: Limit | null): Attempt {
  if (hit === "stopped") {
    return { kind: "final", failure: { outcome: "cancelled", reason: "the step was stopped" } };
  }
  if (hit !== null) {
    const which = hit === "idle" ? "the model fell silent" : "the model took too long";
    return { kind: "transient", failure: { outcome: "timeout", reason: which } };
  }
  return { kind: "transient", failure: { outcome: "crashed", reason } };
}

type Limits = { signal: AbortSignal; heard: () => void; hit: () => Limit | null; end: () => void };

/** One signal for the caller's stop, the silence limit and the total limit. */
function startLimits(provider: LlmProvider, outer: AbortSignal): Limits {
  const { totalTimeoutMs = 600_000, idleTimeoutMs = 120_000 } = provider;
  const abort = new AbortController();
  let hit: Limit | null = null;
  const stop = (limit: Limit): void => {
    hit ??= limit;
    abort.abort();
  };
  const onOuter = (): void => stop("stopped");
  if (outer.aborted) onOuter();
  else outer.addEventListener("abort", onOuter, { once: true });
  const total = later(() => stop("total"), totalTimeoutMs);
  const idle = later(() => stop("idle"), idleTimeoutMs);
  return {
    signal: abort.signal,
    heard: () => void idle.refresh(),
    hit: () => hit,
    end: () => {
      clearTimeout(total);
      clearTimeout(idle);
      outer.removeEventListener("abort", onOuter);
    },
  };
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error
    ? `${thrown.message}: ${thrown.cause.message}`
    : thrown.message;
}
