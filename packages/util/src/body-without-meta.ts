/** A separate entry point: it loads a YAML parser, which most processes do not need. */
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "@uncaged/workflow-protocol";
import { parse } from "yaml";

type Meta = { readonly [field: string]: unknown };

/** The text without the meta: agents often end with the meta as JSON, or begin with it as front matter. Removes
 *  exactly that; empty when nothing else is there. Text that says more, less or something else than the meta stays. */
export function bodyWithoutMeta(content: string, meta: Meta): string {
  const text = content.trim();
  const isMeta = (value: unknown): boolean => isDeepStrictEqual(value, meta);
  const json = jsonAtEnd(text);
  if (json !== null && isMeta(parseJson(json.text))) return text.slice(0, json.from).trimEnd();
  const front = frontMatter(text);
  if (front !== null && isMeta(yamlIn(front.text))) return text.slice(front.to).trim();
  return content;
}

/** The object at the end of a text, in a fence or starting a line. */
function jsonAtEnd(text: string): { from: number; text: string } | null {
  if (text.endsWith("}")) {
    const from = text.lastIndexOf("\n{") + 1;
    return { from, text: text.slice(from) };
  }
  if (!text.endsWith("\n```")) return null;
  const from = text.lastIndexOf("\n```", text.length - 5) + 1;
  const opening = /^```(?:json)?[ \t]*\r?\n/.exec(text.slice(from, from + 40))?.[0];
  return opening === undefined ? null : { from, text: text.slice(from + opening.length, -4) };
}

/** Nobody writes front matter longer than this, so it is not worth parsing. */
const MOST_CHARS = 10_000;

function frontMatter(text: string): { to: number; text: string } | null {
  const from = /^---[ \t]*\r?\n/.exec(text.slice(0, 40))?.[0].length;
  if (from === undefined) return null;
  const end = text.indexOf("\n---", from);
  const closing = end === -1 ? undefined : /^\n---[ \t]*(?=\r?\n|$)/.exec(text.slice(end))?.[0];
  if (closing === undefined || end - from > MOST_CHARS) return null;
  return { to: end + closing.length, text: text.slice(from, end) };
}

function yamlIn(text: string): unknown {
  try {
    // No aliases: a few lines of them can expand to gigabytes.
    return parse(text, { maxAliasCount: 0, logLevel: "silent" });
  } catch {
    return undefined;
  }
}
