/** Removes private keys from a sequence of lines: PEM of every kind, encrypted ones, PGP, SSH2, PuTTY.
 *
 *  1. Nothing is held back: a line is judged by those before it, so a key whose end is missing is removed as far as
 *     it goes.
 *  2. Lines may carry numbers or a margin, as tools print them, and JSON may have joined all of them into one.
 *  3. In a program's source the frame of a key is not followed by a key: then only the frame is removed. */
export type KeyFilter = {
  /** A line with its line break, or a part of one; returns what remains of it. */
  line(line: string): string;
  /** A key has begun and has not ended, so what follows has to be read in whole lines. */
  isInside(): boolean;
};

/** Number of lines after the first in which more of a key is looked for. */
const MOST_LINES = 2_000;

export function keyFilter(): KeyFilter {
  let left = 0;
  let wasKey = false;
  return {
    isInside: () => left > 0,
    line(line) {
      let shown = line;
      if (mayFrame(shown)) {
        shown = withoutWholeKeys(shown);
        const begin = BEGIN.exec(shown);
        if (begin !== null) {
          left = MOST_LINES;
          const [frame, name, putty] = begin;
          const rest = shown.slice(begin.index + frame.length);
          const kind = name || putty;
          // A frame with text after it is in a program's source, or the whole key is on this line.
          wasKey = rest.trim() === "";
          return `${shown.slice(0, begin.index)}[${kind}]${rest.replace(KEY_INLINE, "")}`;
        }
      }
      if (left === 0) return shown;
      left--;
      if (END.test(shown)) {
        left = 0;
        return "";
      }
      const isKey = isKeyLine(shown, wasKey);
      // A blank line belongs to a key with headers, and does not end it.
      wasKey = isKey || (wasKey && shown.trim() === "");
      return isKey ? "" : shown;
    },
  };
}

const KEY_NAME = String.raw`((?:[A-Z\d]+ ){0,6}PRIVATE KEY(?: BLOCK)?)`;
const BEGIN = new RegExp(
  String.raw`-{4,5} ?BEGIN ${KEY_NAME} ?-{4,5}|(PuTTY)-User-Key-File-\d: [\w-]{1,40}`,
);
const END = new RegExp(String.raw`-{4,5} ?END ${KEY_NAME} ?-{4,5}|^[^\n]{0,24}Private-MAC: \w+`);
/** What follows a frame on its own line, with line breaks as JSON writes them. */
const KEY_INLINE = /^(?:\\+[nr]|[A-Za-z\d+/=]|\s(?!$)|(?:Proc-Type|DEK-Info)[^\\]{0,80}){16,65536}/;

/** Keys that begin and end on this line. */
function withoutWholeKeys(line: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const begin of line.matchAll(new RegExp(BEGIN, "g"))) {
    if (begin.index < at) continue;
    const end = new RegExp(END, "g");
    end.lastIndex = begin.index + begin[0].length;
    const found = end.exec(line);
    // Then there is none further on either.
    if (found === null) break;
    parts.push(line.slice(at, begin.index), `[${begin[1] ?? begin[2]}]`);
    at = end.lastIndex;
  }
  return parts.join("") + line.slice(at);
}

function mayFrame(line: string): boolean {
  return line.includes("PRIVATE KEY") || line.includes("PuTTY-User-Key-File-");
}

/** Base64 and nothing else except a margin, or one of the headers above it. A short line counts when the line before
 *  it did, or was the frame. */
function isKeyLine(line: string, wasKey: boolean): boolean {
  const text = line.trimEnd();
  const [, run = ""] =
    /^[^\n]{0,24}?(?:^|[\s|│>:→"'])([A-Za-z\d+/=]{1,4096})["',\\nr]{0,6}$/.exec(text) ?? [];
  if (run.length >= 40 || (wasKey && run.length > 0)) return true;
  return wasKey && HEADER.test(text);
}

const HEADER =
  /^[^\n]{0,24}?(?:Proc-Type|DEK-Info|Comment|Version|Charset|Hash|Subject|Encryption|Public-Lines|Private-Lines|Key-Derivation|Argon2-[\w-]+):/;
