/** What a coordinator is told of a worker's end: a part of its conversation that no worker can forge. */
import type { Usage, WorkerEnd } from "@uncaged/workflow-protocol";

export type Notification = {
  worker: string;
  title: string;
  status: WorkerEnd;
  /** One line. */
  summary: string;
  result: string;
  usage: { tokens: number; toolUses: number; durationMs: number };
};

/** Of a result, in a notification; the rest is in the worker's thread. */
const MOST_RESULT_CHARS = 20_000;
const MOST_SUMMARY_CHARS = 300;

export function notificationText({
  worker,
  title,
  status,
  summary,
  result,
  usage,
}: Notification): string {
  const cut = result.length > MOST_RESULT_CHARS;
  const shown = cut ? `${result.slice(0, MOST_RESULT_CHARS)}…` : result;
  return [
    "<task-notification>",
    `<task-id>${worker}</task-id>`,
    `<title>${escaped(title)}</title>`,
    `<status>${status}</status>`,
    `<summary>${escaped(oneLine(summary))}</summary>`,
    `<result>${escaped(shown)}</result>`,
    `<usage><total_tokens>${usage.tokens}</total_tokens><tool_uses>${usage.toolUses}</tool_uses><duration_ms>${usage.durationMs}</duration_ms></usage>`,
    "</task-notification>",
  ].join("\n");
}

/** As text between tags: nothing in it opens or closes one. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MOST_SUMMARY_CHARS ? `${line.slice(0, MOST_SUMMARY_CHARS - 1)}…` : line;
}

export function tokensOf(usage: Usage | null): number {
  return usage === null ? 0 : usage.inputTokens + usage.outputTokens;
}
