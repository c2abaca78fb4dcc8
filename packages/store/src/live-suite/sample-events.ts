/** Events for tests, and helpers to read them. */
import type { LiveEvent, LiveItem, LiveLog, LiveRecord } from "@uncaged/workflow-protocol";

export const THREAD = "01M7Z9WNCVHA4DP8Y98XX3ZSRG";
export const OTHER_THREAD = "01M7Z9WNCVHA4DP8Y98XX3ZSRH";

const stamp = { threadId: THREAD, timestamp: 1_716_000_000_123 };

export function says(text: string, threadId: string = THREAD): LiveEvent {
  return {
    ...stamp,
    threadId,
    type: "agent",
    role: "coder",
    round: 1,
    event: { type: "text", text },
  };
}

/** One event of every kind, with awkward contents. */
export const everyKind: readonly LiveEvent[] = [
  {
    ...stamp,
    type: "step_started",
    role: "coder",
    round: 2,
    condition: "again",
    said: "Shorter\n",
  },
  says('\u001b]52;c;x\u0007 \u0000 \u2028 \ud800 half \udc00 {"seq":99}\n{"seq":1}'),
  agent({ type: "started", agent: "x", session: null }),
  agent({
    type: "tool",
    phase: "start",
    id: "1",
    name: "bash",
    input: JSON.parse('{"__proto__":{"seq":7},"constructor":[null,true,1e300,"\\u0000"]}'),
  }),
  agent({ type: "tool", phase: "end", id: "1", name: "bash", ok: false }),
  agent({ type: "permission", tool: "bash", allowed: false, reason: "policy" }),
  agent({
    type: "usage",
    usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, costUsd: null },
  }),
  agent({ type: "retry", reason: "rate limit", delayMs: 500 }),
  agent({ type: "end", outcome: "timeout", reason: "no output" }),
  {
    ...stamp,
    type: "asked",
    role: "lead",
    group: { name: "reviews", entry: 1, index: 2, of: 3 },
    message: "Fine?\n{}",
  },
  { ...stamp, type: "asked", role: "coder", message: "May I?" },
  { ...stamp, type: "note", about: "supervisor", message: "continue", usage: null },
  {
    ...stamp,
    type: "step_completed",
    role: "coder",
    round: 2,
    stateHash: "50SJJZ7PQ2G6X",
    meta: JSON.parse('{"__proto__":1,"seq":5,"type":"gap"}'),
  },
  { ...stamp, type: "status", status: "suspended", summary: "Which?" },
];

function agent(event: Extract<LiveEvent, { type: "agent" }>["event"]): LiveEvent {
  return { ...stamp, type: "agent", role: "coder", round: 2, event };
}

const NEVER: AbortSignal = new AbortController().signal;

/** The items that the log has now. */
export function readEnd(
  log: LiveLog,
  after: number = 0,
  threadId: string = THREAD,
): Promise<LiveItem[]> {
  return all(log.read(threadId, { after, until: "end", signal: NEVER }));
}

export async function all(reading: AsyncIterable<LiveItem>): Promise<LiveItem[]> {
  const items: LiveItem[] = [];
  for await (const item of reading) items.push(item);
  return items;
}

/** Follows the log up to the last wanted item. */
export async function readUntil(
  log: LiveLog,
  opts: { after: number; isLast: (item: LiveItem) => boolean },
): Promise<LiveItem[]> {
  const abort = new AbortController();
  const items: LiveItem[] = [];
  const { after } = opts;
  for await (const item of log.read(THREAD, { after, until: "aborted", signal: abort.signal })) {
    items.push(item);
    if (opts.isLast(item)) abort.abort();
  }
  return items;
}

export function isText(item: LiveItem, text: string): boolean {
  return item.type === "agent" && item.event.type === "text" && item.event.text === text;
}

export function eventsOf(items: readonly LiveItem[]): LiveRecord[] {
  return items.flatMap((item) => (item.type === "gap" ? [] : [item]));
}

export function textsOf(items: readonly LiveItem[]): string[] {
  return eventsOf(items).flatMap((item) =>
    item.type === "agent" && item.event.type === "text" ? [item.event.text] : [],
  );
}

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
