/** One word of a command line. */

/** `text` without its quotes; for a word that is not literal, as written. */
export type ShellWord = { text: string; literal: boolean };

export class NotUnderstood extends Error {}

/** A position in a text. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Empty at the end. */
  peek(): string {
    return this.text.charAt(this.at);
  }

  sees(pattern: RegExp): string | null {
    return pattern.exec(this.text.slice(this.at, this.at + MOST_AHEAD))?.[0] ?? null;
  }
}

/** No name or piece of a word is longer than this. */
const MOST_AHEAD = 256;

/** Reads the scripts inside words. */
export type Substitutions = {
  /** From after `$(` to after its closing bracket. */
  inBrackets(): void;
  inBackquotes(script: string): void;
};

export function readWord(cursor: Cursor, scripts: Substitutions): ShellWord {
  const parts: string[] = [];
  let literal = true;
  const start = cursor.at;
  while (true) {
    const char = cursor.peek();
    if (ENDS_WORD.has(char)) break;
    if (char === "'") parts.push(single(cursor));
    else if (char === '"') literal = double(cursor, { parts, scripts }) && literal;
    else if (char === "\\") {
      const next = cursor.text.charAt(cursor.at + 1);
      if (next === "") throw new NotUnderstood();
      if (next !== "\n") parts.push(next);
      cursor.at += 2;
    } else if (char === "$" || char === "`") {
      literal = expansion(cursor, { parts, scripts }) && literal;
    } else {
      if (char === "~" ? cursor.at === start : cursor.sees(GLOB_OR_BRACES) !== null)
        literal = false;
      parts.push(char);
      cursor.at++;
    }
  }
  return { text: literal ? parts.join("") : cursor.text.slice(start, cursor.at), literal };
}

const GLOB_OR_BRACES = /^(?:[*?]|\[\S*\]|\{[^\s{}]*(?:,|\.\.))/;

type Reading = { parts: string[]; scripts: Substitutions };

function single(cursor: Cursor): string {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  if (end === -1) throw new NotUnderstood();
  const text = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return text;
}

/** Returns whether the word is literal. */
function double(cursor: Cursor, reading: Reading): boolean {
  let literal = true;
  cursor.at++;
  while (true) {
    const char = cursor.peek();
    if (char === "") throw new NotUnderstood();
    if (char === '"') break;
    if (char === "\\") {
      const next = cursor.text.charAt(cursor.at + 1);
      if (next !== "\n") reading.parts.push('"\\$`'.includes(next) ? next : `\\${next}`);
      cursor.at += 2;
    } else if (char === "$" || char === "`") literal = expansion(cursor, reading) && literal;
    else {
      reading.parts.push(char);
      cursor.at++;
    }
  }
  cursor.at++;
  return literal;
}

/** Returns whether it is literal after all: a dollar sign by itself. */
function expansion(cursor: Cursor, { parts, scripts }: Reading): boolean {
  const begins = (text: string): boolean => cursor.text.startsWith(text, cursor.at);
  if (begins("`")) {
    const end = cursor.text.indexOf("`", cursor.at + 1);
    const script = cursor.text.slice(cursor.at + 1, end);
    if (end === -1 || script.includes("\\")) throw new NotUnderstood();
    scripts.inBackquotes(script);
    cursor.at = end + 1;
    return false;
  }
  if (begins("$((") || begins("$'") || begins('$"')) throw new NotUnderstood();
  if (begins("$(")) {
    cursor.at += 2;
    scripts.inBrackets();
    return false;
  }
  if (begins("${")) {
    const end = cursor.text.indexOf("}", cursor.at);
    const inner = cursor.text.slice(cursor.at + 2, end);
    if (end === -1 || /[$`'"\\{]/.test(inner)) throw new NotUnderstood();
    cursor.at = end + 1;
    return false;
  }
  const name = cursor.sees(/^\$(?:\w+|[?$!#@*-])/);
  parts.push(name ?? "$");
  cursor.at += name?.length ?? 1;
  return name === null;
}

export const ENDS_COMMAND: ReadonlySet<string> = new Set(["", "\n", ";", "|", "&", ")"]);
export const ENDS_WORD: ReadonlySet<string> = new Set([...ENDS_COMMAND, " ", "\t", "(", "<", ">"]);
