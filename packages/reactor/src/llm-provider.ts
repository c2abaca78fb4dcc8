/** Where a model is, and how long it may take. */
export type LlmProvider = {
  /** `https://host/v1`; `/chat/completions` is added. */
  baseUrl: string;
  model: string;
  /** The key itself; null for endpoints that need none. */
  apiKey: string | null;
  /** For one attempt, from the request to the last byte. Default 10 minutes. */
  totalTimeoutMs?: number;
  /** Longest silence within one attempt. Default 2 minutes. */
  idleTimeoutMs?: number;
  /** Retries after the first attempt. Default 4. */
  maxRetries?: number;
  /** Whether an attempt that hit one of the two time limits is retried. Default true. */
  retryTimeouts?: boolean;
  /** Longest wait before a retry; if a server asks for more, there is none. Default 1 minute. */
  maxDelayMs?: number;
  /** From 0 to below 1, for the random part of each wait before a retry. Default `Math.random`. */
  random?: () => number;
  /** For tests. */
  fetch?: typeof globalThis.fetch;
};
