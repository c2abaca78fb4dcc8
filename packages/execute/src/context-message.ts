import type { CasStore, StateNode } from "@uncaged/workflow-protocol";
import { stringify } from "yaml";
import { readNode } from "./read-node.ts";
import { repeatsMeta } from "./repeats-meta.ts";

/** One role result, as an agent that pulls the conversation reads it. */
export type ContextMessage = {
  /** 1-based. */
  round: number;
  role: string;
  /** Unix milliseconds. */
  timestamp: number;
  meta: Record<string, unknown>;
  content: string;
  contentHash: string;
  /** True when `content` was cut to fit the budget. */
  cut: boolean;
};

/** Told by the header or the body already. */
const RESERVED = new Set(["type", "role", "content"]);

export async function contextMessage(
  cas: Pick<CasStore, "get">,
  node: StateNode,
  round: number,
): Promise<ContextMessage> {
  const { role, meta, content, timestamp } = node.payload;
  const { payload: text } = await readNode(cas, content, "content");
  return {
    round,
    role: role || "unknown",
    timestamp,
    meta,
    content: text,
    contentHash: content,
    cut: false,
  };
}

/** Header, front matter of the meta, body. A body that only repeats the meta as JSON is left out. */
export function renderMessage(message: ContextMessage): string {
  const time = new Date(message.timestamp).toISOString().replace(/\.\d{3}Z$/, "Z");
  const fields = Object.entries(message.meta).filter(([key]) => !RESERVED.has(key));
  const frontMatter =
    fields.length === 0 ? "" : `---\n${stringify(Object.fromEntries(fields))}---\n`;
  const body = repeatsMeta(message.content, message.meta) ? "" : message.content;
  return `[#${message.round} ${message.role}] ${time}\n${frontMatter}${body}`.trimEnd();
}

/** The message with its body cut so that it renders in about `maxChars`; the cut says how to load the whole. */
export function cutMessage(message: ContextMessage, maxChars: number): ContextMessage {
  const tooLong = renderMessage(message).length - maxChars;
  if (tooLong <= 0 || message.content.length === 0) return message;
  const hint = `\n... cut, the whole text: uncaged-workflow cas get --payload ${message.contentHash} ...`;
  const kept = sliceChars(
    message.content,
    Math.max(0, message.content.length - tooLong - hint.length),
  );
  return { ...message, content: `${kept}${hint}`, cut: true };
}

/** Never parts a surrogate pair. */
function sliceChars(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
