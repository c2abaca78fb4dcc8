/** Where a model is, and how long it may take. */
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
  /** Whether a try that met one of the two time limits is followed by another. Default true. */
  retryTimeouts?: boolean;
  /** Longest wait before a further try; a server that asks for more is not waited for. Default 1 minute. */
  maxDelayMs?: number;
  /** From 0 to below 1, for the chance in each wait before a further try. Default `Math.random`. */
  random?: () => number;
  /** For tests. */
  fetch?: typeof globalThis.fetch;
};
