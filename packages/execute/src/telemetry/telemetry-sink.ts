/** The interface for reporting spans and metrics. Nothing in it throws or waits for a receiver. */
export type Attributes = { readonly [name: string]: string | number | boolean | string[] };

export type SpanSpec = {
  name: string;
  /** `client`: somebody else's program does the work. */
  kind: "internal" | "client";
  traceId: string;
  spanId: string;
  /** null: the beginning of the trace. */
  parentSpanId: string | null;
  /** Unix milliseconds. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** Why it failed; null: it did not. */
  error: string | null;
  /** Spans of the same trace that belong to it and are not above it. */
  links: readonly string[];
};

/** Instruments by name, each with its unit. */
export const COUNTERS = {
  "uncaged.steps": { unit: "{step}", description: "Steps completed" },
  "uncaged.failures": { unit: "{failure}", description: "Threads and steps that failed, by code" },
  "uncaged.limits.reached": { unit: "{limit}", description: "Threads that reached a limit" },
  "uncaged.cost": { unit: "USD", description: "Cost, as reported by agents" },
} as const;
export const HISTOGRAMS = {
  "uncaged.step.duration": { unit: "s", description: "From the start of a step to its end" },
  "uncaged.store.duration": { unit: "s", description: "How long the store takes" },
  "gen_ai.client.token.usage": { unit: "{token}", description: "Tokens per step" },
} as const;
export const GAUGES = {
  "uncaged.threads": { unit: "{thread}", description: "Unfinished threads by status" },
  "uncaged.threads.oldest": { unit: "s", description: "Age of the oldest unfinished, by status" },
  "uncaged.waits": { unit: "{wait}", description: "Threads that wait, by what they wait for" },
} as const;

export type Gauged = { name: keyof typeof GAUGES; value: number; attributes: Attributes };

export type TelemetrySink = {
  span(span: SpanSpec): void;
  count(name: keyof typeof COUNTERS, value: number, attributes: Attributes): void;
  measure(name: keyof typeof HISTOGRAMS, value: number, attributes: Attributes): void;
  /** Called whenever metrics are sent. */
  gauge(look: () => Promise<readonly Gauged[]>): void;
  /** Sends what is pending. Resolves after two seconds at the latest. */
  flush(): Promise<void>;
};
