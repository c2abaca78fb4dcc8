/** Parses YAML text to a tree of nodes that know their positions.
 *
 *  1. The text is untrusted: its size and depth are limited before the parser sees it.
 *  2. Aliases are refused where they are used, and so are tags: a file means what is written at each place. */
import { type Node, parseDocument } from "yaml";
import type { Faults } from "./faults.ts";
import { faultHabits } from "./habits.ts";
import { findSlips, type Weigh } from "./slips.ts";

/** Limits of the text, and of what may be indentation in its lines: the parser compiles expressions of that length. */
const MAX_CHARACTERS: number = 256 * 1024;
const MAX_INDENTATION = 400;
/** Brackets open at one time, including those inside strings. */
const MAX_BRACKETS = 200;

/** Null when it cannot be parsed at all; the reason is among the faults. */
export function parseText(text: string, faults: Faults, weigh: Weigh): Node | null {
  if (isTooMuch(text, faults)) return null;
  const document = parseDocument(text, {
    prettyErrors: false,
    // Its own check compares each key with all others: seconds to minutes for thousands of them.
    uniqueKeys: false,
    version: "1.2",
  });
  if (document.errors.length > 0) {
    const { slips, left } = findSlips(text, weigh);
    for (const { span, message, corrected } of slips) faults.add(span, message, corrected);
    // After a slip the rest is mostly its consequence.
    const told = slips.length > 0 ? left.slice(0, 1) : left;
    for (const { code, message, pos } of told) faults.add(pos, wordsOf(code, message));
    return null;
  }
  for (const { code, message, pos } of document.warnings) faults.add(pos, wordsOf(code, message));
  // Messages about words other than the intended ones would only confuse.
  if (faultHabits(document, { text, faults })) return null;
  if (document.contents === null) faults.add([0, 1], "the file is empty");
  return document.contents;
}

function isTooMuch(text: string, faults: Faults): boolean {
  if (text.length > MAX_CHARACTERS) {
    faults.add([0, 1], `the file has more than ${MAX_CHARACTERS / 1024} KiB`);
    return true;
  }
  const deep = DEEP_LINE.exec(text);
  if (deep !== null) {
    faults.add([deep.index, deep.index + 1], `the line begins ${MAX_INDENTATION} columns deep`);
    return true;
  }
  const bracket = tooManyBrackets(text);
  if (bracket !== null) faults.add([bracket, bracket + 1], "brackets are nested too deep");
  return bracket !== null;
}

/** Spaces, and the indicators of lists and keys that may precede a value. */
const DEEP_LINE = new RegExp(`^[ \\t?:-]{${MAX_INDENTATION}}`, "m");

function tooManyBrackets(text: string): number | null {
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[\]{}]/g)) {
    open = bracket === "[" || bracket === "{" ? open + 1 : Math.max(0, open - 1);
    if (open > MAX_BRACKETS) return index;
  }
  return null;
}

/** The parser's own messages are for people who know YAML's grammar. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["TAB_AS_INDENT", "there is a tab in the indentation; use spaces"],
  [
    "BLOCK_AS_IMPLICIT_KEY",
    'a second ": " stands in this value; put the value into quotes, or write its keys on lines of their own',
  ],
  [
    "MULTILINE_IMPLICIT_KEY",
    "this line cannot be joined with the next; look at the indentation and at quotes",
  ],
  ["BAD_INDENT", "this line is not in the same column as the lines it belongs to"],
  ["MISSING_CHAR", "something that was opened before is never closed: a quote, or a bracket"],
  ["UNEXPECTED_TOKEN", "this is more than one value; put all of it into quotes"],
  ["MULTIPLE_DOCS", "a second document begins; a workflow is only one, so remove the line ---"],
  ["BAD_SCALAR_START", "a value cannot begin with this character; put the value into quotes"],
  ["TAG_RESOLVE_FAILED", "tags (words that begin with !) mean nothing here; remove it"],
]);

function wordsOf(code: string, message: string): string {
  return WORDS.get(code) ?? `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`;
}
