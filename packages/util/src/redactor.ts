/** Removes secrets from texts: known values, in all their forms, and whatever else looks like a secret.
 *
 *  1. One function for all: a whole text is a stream with one chunk.
 *  2. The chunks of a stream may split a secret anywhere. What could be the beginning of one waits for more; that is
 *     at most the end of a line, and bounded.
 *  3. Time is linear in the length of the text; memory does not depend on it. */

import { type Find, type NeedleFinder, needleFinder } from "./find-needles.ts";
import { type KeyFilter, keyFilter } from "./private-keys.ts";
import { MIN_SECRET_CHARS, type SecretSource, secretNeedles } from "./secret-needles.ts";
import { begunShape, withoutSecretShapes } from "./secret-shapes.ts";

export type RedactStream = {
  /** Returns what is safe to show by now: whole lines, and the part of the last line that cannot belong to a secret. */
  push(text: string): string;
  /** For a pause: also returns the word at the end, unless it may be the beginning of a secret. */
  pause(): string;
  /** The rest. A known secret that the end cuts off is removed as well. */
  end(): string;
};

export type Redactor = {
  (text: string): string;
  stream(): RedactStream;
};

/** Limit for an unfinished line, after which it is processed in parts. */
const MOST_HELD_CHARS = 64 * 1024;
/** At most this much is scanned with each chunk. */
const OFTEN_CHARS = 1_024;
/** No shape is longer. */
const TAIL_CHARS = 8 * 1024;

export function redactor(source: SecretSource): Redactor {
  const finder = needleFinder(secretNeedles(source));
  const stream = (): RedactStream => redactStream(finder);
  const whole = (text: string): string => {
    const one = stream();
    return one.push(text) + one.end();
  };
  return Object.assign(whole, { stream });
}

function redactStream(finder: NeedleFinder): RedactStream {
  const keys = keyFilter();
  const mostHeld = MOST_HELD_CHARS + 4 * finder.longest;
  let held = "";
  /** Scanning again costs the length of what is held, which must have grown enough to be worth it. */
  let lookAgainAt = 0;
  let next: readonly string[] = [];
  const shown = (text: string): string => {
    const clean = withoutNeedles(text, finder.find(text), next);
    next = clean.next;
    return withoutSecretShapes(withoutKeys(clean.text, keys));
  };
  /** Shows what is held, up to this position. */
  const take = (end: number): string => {
    if (end === 0) return "";
    const text = held.slice(0, end);
    held = held.slice(end);
    return shown(text);
  };
  /** Position in the unfinished line up to which it is safe. */
  const safeEnd = (wordOf: (line: string) => number): number => {
    if (keys.isInside()) return 0;
    const end = Math.min(wordOf(held), finder.begun(held), begunShape(held));
    const spanning = finder.find(held).find((each) => each.start < end && each.end > end);
    return spanning?.start ?? end;
  };
  return {
    push(text) {
      held += text;
      const lines = take(held.lastIndexOf("\n") + 1);
      if (lines === "" && held.length < lookAgainAt) return "";
      const isTooLong = held.length > mostHeld;
      const safe = take(isTooLong ? placeToCut(held, finder) : safeEnd(lastWord));
      lookAgainAt = held.length < OFTEN_CHARS ? 0 : held.length * 1.25;
      return lines + safe;
    },
    pause: () => take(safeEnd(wordBegun)),
    end() {
      const begun = finder.begun(held);
      const isCutSecret = held.length - begun >= MIN_SECRET_CHARS;
      return take(isCutSecret ? begun : held.length) + (isCutSecret ? "[secret]" : "");
    },
  };
}

function withoutNeedles(
  text: string,
  finds: readonly Find[],
  expected: readonly string[],
): { text: string; next: readonly string[] } {
  const parts: string[] = [];
  const first = shortLines(text, { at: 0, lines: expected });
  let at = first.end;
  let next = first.left;
  for (const { start, end, needle } of finds) {
    if (start < at) continue;
    parts.push(text.slice(at, start), needle.label);
    const more = shortLines(text, { at: end, lines: needle.next });
    at = more.end;
    next = more.left;
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), next: at >= text.trimEnd().length ? next : [] };
}

/** How far a secret's short lines continue after the line before them, and which may still come. */
function shortLines(
  text: string,
  { at, lines }: { at: number; lines: readonly string[] },
): { end: number; left: readonly string[] } {
  let end = at;
  let left = lines;
  for (const line of lines) {
    LINE_BREAK.lastIndex = end;
    const start = end + (LINE_BREAK.exec(text)?.[0].length ?? 0);
    if (!text.startsWith(line, start) || /\w/.test(text[start + line.length] ?? "")) break;
    end = start + line.length;
    left = left.slice(1);
  }
  return { end, left };
}

/** Literal, or as JSON writes it. */
const LINE_BREAK = /(?:\r?\n|(?:\\r)?\\n)?[ \t]*/y;

function withoutKeys(text: string, keys: KeyFilter): string {
  if (!keys.isInside() && !/PRIVATE KEY|PuTTY-User/.test(text)) return text;
  let shown = "";
  let lineBreak = "";
  for (const line of text.split(/(?<=\n)/)) {
    const left = keys.line(line);
    if (left === "") {
      // The last line break of a key is the one after its name.
      lineBreak = line.endsWith("\n") ? "" : lineBreak;
      continue;
    }
    shown += lineBreak + left;
    lineBreak = "";
  }
  return shown;
}

/** Where a line that is too long is cut: after every match in it, and not inside a word. */
function placeToCut(text: string, finder: NeedleFinder): number {
  const latest = text.length - Math.max(TAIL_CHARS, finder.longest);
  const spanning = finder.find(text).find(({ start, end }) => start < latest && end > latest);
  const cut = spanning?.start ?? latest;
  const before = text.slice(Math.max(0, cut - TAIL_CHARS), cut);
  const word = before.length - lastWord(before);
  return word < before.length ? cut - word : cut;
}

/** Position after the last blank. */
function lastWord(text: string): number {
  let at = text.length;
  while (at > 0 && text.charCodeAt(at - 1) > BLANK) at--;
  return at;
}

/** Space and all control characters below it. */
const BLANK = 0x20;

/** Position of the last word if it may grow into a secret, else the end: long words with digits, and beginnings of
 *  the prefixes that services use for their keys. */
function wordBegun(text: string): number {
  const at = lastWord(text);
  const word = text.slice(at);
  const isBegun =
    word.length >= 12 || /[A-Z\d_-]/.test(word) || PREFIX_BEGUN.test(word) || NAME_BEGUN.test(word);
  return isBegun && word !== "" ? at : text.length;
}

const PREFIX_BEGUN =
  /(?:^|[^A-Za-z\d])(?:s|sk|g|gh|gl|h|hf|hv|n|np|npm|p|py|pypi|d|do|r|l|li|lin|x|xo|xa|ey|ya|w|wh)$/;
const NAME_BEGUN =
  /(?:ke?|pa?s?|to?k?e?|se?c?r?e?|cr?e?d?[a-z]*|au?t?h?[a-z]*|ap?i?|pr[a-z]*|ac[a-z]*|be?a?r?e?|ba?s?i?)$/;
