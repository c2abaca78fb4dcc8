/** Finds the JSON objects in a text that also contains other things.
 *
 *  1. A value begins at a bracket and is parsed by the JSON grammar until it is complete or cannot be JSON. The
 *     search then continues after the value, or from where parsing failed.
 *  2. So each character is read once, or twice when a string inside a value turns out not to be one, because a quote
 *     mark may belong to prose. */
import { MAX_JSON_DEPTH } from "./json.ts";

/** The last `most` complete objects that are not inside another value, in text order. */
export function wholeObjects(text: string, most: number): object[] {
  const ends: { start: number; end: number }[] = [];
  for (let at = nextBracket(text, 0); at !== -1; ) {
    const read = readValue(text, at);
    if (read.isWhole && text[at] === "{") ends.push({ start: at, end: read.end });
    at = nextBracket(text, read.end);
  }
  const objects: object[] = [];
  for (const { start, end } of ends.slice(-most)) {
    const value: unknown = JSON.parse(text.slice(start, end));
    if (typeof value === "object" && value !== null) objects.push(value);
  }
  return objects;
}

/** `end`: the offset after the value; if there was none, where the search continues. */
type Read = { isWhole: boolean; end: number };

/** What may come next in a container. */
type Expected = "first" | "item" | "key" | "colon" | "next";

function readValue(text: string, start: number): Read {
  const open: { isObject: boolean }[] = [];
  let expected: Expected = "first";
  let deepest = 0;
  let lastText = -1;
  let at = start;
  const enter = (): void => {
    lastText = -1;
    open.push({ isObject: text[at] === "{" });
    deepest = Math.max(deepest, open.length);
    expected = "first";
    at += 1;
  };
  enter();
  while (open.length > 0) {
    at = behindSpace(text, at);
    const mark = text[at];
    const isObject = open.at(-1)?.isObject === true;
    if (mark === undefined) return { isWhole: false, end: text.length };
    if (mark === (isObject ? "}" : "]") && (expected === "first" || expected === "next")) {
      open.pop();
      lastText = -1;
      expected = "next";
      at += 1;
    } else if (mark === "," && expected === "next") {
      lastText = -1;
      expected = isObject ? "key" : "item";
      at += 1;
    } else if (mark === ":" && expected === "colon") {
      lastText = -1;
      expected = "item";
      at += 1;
    } else if (expected === "colon" || expected === "next") {
      return { isWhole: false, end: goOnAt(at, lastText) };
    } else if (isObject && expected !== "item") {
      const end = mark === '"' ? behindText(text, at) : null;
      if (end === null) return { isWhole: false, end: at + Number(mark === '"') };
      lastText = at;
      expected = "colon";
      at = end;
    } else if (mark === "{" || mark === "[") {
      enter();
    } else {
      const end = mark === '"' ? behindText(text, at) : behindScalar(text, at);
      if (end === null) return { isWhole: false, end: at + Number(mark === '"') };
      lastText = mark === '"' ? at : -1;
      expected = "next";
      at = end;
    }
  }
  return { isWhole: deepest <= MAX_JSON_DEPTH, end: at };
}

/** `lastText`: where the string that was just read begins. If what follows cannot follow a string, its quotes may
 *  have been prose. */
function goOnAt(at: number, lastText: number): number {
  return lastText === -1 ? at : lastText + 1;
}

function nextBracket(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1)
    if (text[at] === "{" || text[at] === "[") return at;
  return -1;
}

function behindSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at += 1;
  return at;
}

/** null: not a JSON string. An unterminated one extends to the end of the text. */
function behindText(text: string, from: number): number | null {
  for (let at = from + 1; at < text.length; at += 1) {
    const mark = text[at] ?? "";
    if (mark === '"') return at + 1;
    if (mark < " ") return null;
    if (mark === "\\") {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return at + 5 < text.length ? null : text.length;
      at = ESCAPE.lastIndex - 1;
    }
  }
  return text.length;
}

function behindScalar(text: string, from: number): number | null {
  SCALAR.lastIndex = from;
  return SCALAR.test(text) ? SCALAR.lastIndex : null;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
