/** The conversation as text, formatted so that no message can pose as part of the format.
 *
 *  1. A header is a line that begins with `[`. No other line does: texts are indented by two spaces, front matter keys
 *     that do not begin with a letter are quoted, our own hints begin with `...` or `#`.
 *  2. Characters that would end a line or move the cursor invisibly are shown escaped.
 *  3. Anything that is cut to fit says how to load the whole. */
import { printable, quotedText } from "@uncaged/workflow-util";
import { bodyWithoutMeta } from "@uncaged/workflow-util/body-without-meta";
import { Document, isMap, isScalar } from "yaml";
import type { ContextMessage, ContextPrompt } from "./context-message.ts";
import { cutToFit } from "./cut-to-fit.ts";

/** Header, front matter of the meta and body, preceded by what the role was told. At most `room` characters, if that is
 *  enough for the headers and hints. `message.content` is already cut to what is shown. */
export function messageText(
  message: ContextMessage,
  room: number,
): { message: ContextMessage; text: string } {
  const body = bodyWithoutMeta(message.content, message.meta);
  const whole = joined(aboveBody(message, Infinity), quotedText(body));
  if (whole.length <= room) return { message, text: whole };
  const above = aboveBody(message, room);
  const left = room - above.length - 1;
  const quoted = quotedText(body);
  if (quoted.length <= left) return { message, text: joined(above, quoted) };
  const hint = cutHint(`uncaged-workflow cas get --payload ${message.contentHash}`, left);
  const kept = cutToFit(body, (start) => quotedText(start).length, left - hint.length - 1);
  return {
    message: { ...message, content: kept, cut: true },
    text: joined(above, quotedText(kept), hint),
  };
}

function aboveBody(message: ContextMessage, room: number): string {
  const { round, role, timestamp, prompt, meta, stateHash } = message;
  const whole = `uncaged-workflow cas get ${stateHash}`;
  const header = `[#${round} ${shownRole(role)}] ${time(timestamp)}`;
  const head = joined(header, frontMatter(meta, room / 2, whole));
  if (prompt === null) return head;
  const told = promptHeader(prompt.kind, round, role);
  return `${entry(told, prompt.text, { room: room / 4, whole }).text}\n\n${head}`;
}

/** A header and a text below it. `whole` is the command that prints all of the text. `content` is the text, already cut
 *  to what is shown. */
export function entry(
  header: string,
  content: string,
  { room, whole }: { room: number; whole: string },
): { text: string; content: string; cut: boolean } {
  const all = joined(header, quotedText(content));
  if (all.length <= room) return { text: all, content, cut: false };
  const hint = cutHint(whole, room);
  const left = room - header.length - hint.length - 2;
  const kept = cutToFit(content, (start) => quotedText(start).length, left);
  return { text: joined(header, quotedText(kept), hint), content: kept, cut: true };
}

export function startHeader(timestamp: number): string {
  return `[#0 start] ${time(timestamp)}`;
}

/** `role` null: whichever role the table picks. */
export function promptHeader(
  kind: ContextPrompt["kind"],
  round: number,
  role: string | null,
): string {
  return `[${PROMPTS[kind]} for #${round}${role === null ? "" : ` ${shownRole(role)}`}]`;
}

const PROMPTS = {
  edge: "prompt",
  answer: "answer",
  person: "prompt of a person",
} as const satisfies Record<ContextPrompt["kind"], string>;

/** A role name reduced to characters that cannot break a header. */
export function shownRole(role: string): string {
  return role.replaceAll(/[^\p{L}\p{N}_.-]/gu, "_").slice(0, 64) || "unknown";
}

/** Fields of a meta that are never shown: the header or the body has the same information. */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set(["type", "role", "content"]);
const PLAIN_KEY = /^\p{L}[\p{L}\p{N} _.-]*$/u;

function frontMatter(meta: ContextMessage["meta"], room: number, whole: string): string {
  const fields = Object.entries(meta).filter(([key]) => !HIDDEN_FIELDS.has(key));
  if (fields.length === 0) return "";
  const document = new Document(Object.fromEntries(fields), { aliasDuplicateObjects: false });
  for (const { key } of isMap(document.contents) ? document.contents.items : []) {
    if (isScalar(key) && !PLAIN_KEY.test(String(key.value))) key.type = "QUOTE_DOUBLE";
  }
  const yaml = printable(document.toString());
  const text = `---\n${yaml}---`;
  if (text.length <= room) return text;
  const hint = `# cut, the whole: ${whole}\n---`;
  const kept = cutToFit(yaml, (start) => start.length, room - hint.length - "---\n\n".length);
  return kept === "" ? `---\n${hint}` : `---\n${kept}\n${hint}`;
}

function joined(...parts: readonly string[]): string {
  return parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== "")
    .join("\n");
}

function cutHint(command: string, room: number): string {
  const hint = `... cut, the whole text: ${command} ...`;
  return room > 2 * hint.length ? hint : "... cut ...";
}

/** Readers do not need more than seconds. */
function time(timestamp: number): string {
  return new Date(Math.min(timestamp, LAST_MS)).toISOString().replace(/\.\d{3}Z$/, "Z");
}

/** The largest time that a Date can hold. */
const LAST_MS = 8.64e15;
