/** Parses a command line as a POSIX shell or bash does: a strict parser that returns "not understood" for anything
 *  it does not know for certain.
 *
 *  1. Nothing is expanded. A word with a variable, a substitution, a glob or braces is not `literal`: only the shell
 *     knows its value.
 *  2. Commands inside groups, substitutions and loops are in the list as well, `nested`.
 *  3. Time is linear in the text: each character is read once, except in nested quotes. */

import {
  Cursor,
  ENDS_COMMAND,
  ENDS_WORD,
  NotUnderstood,
  readWord,
  type ShellWord,
  type Substitutions,
} from "./shell-word.ts";

export type Redirection = { operator: string; target: ShellWord };

/** What follows a command. */
type Joiner = "&&" | "||" | ";" | "|" | "&" | "end";

export type SimpleCommand = {
  /** `NAME=value` before the command's name. */
  assignments: readonly { name: string; value: ShellWord }[];
  words: readonly ShellWord[];
  redirections: readonly Redirection[];
  joiner: Joiner;
  /** It is in a group, a loop or a substitution, or after `!`. */
  nested: boolean;
};

/** The commands in order; null: not understood. */
export function readShellScript(text: string): SimpleCommand[] | null {
  if (text.includes("\0")) return null;
  const reader = new ScriptReader(text);
  try {
    reader.list(null);
    return reader.commands;
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return null;
    throw thrown;
  }
}

const MOST_DEPTH = 16;
const CLOSERS = new Set(["fi", "done", "esac", "}"]);
const OPENERS = new Set(["if", "then", "elif", "else", "while", "until", "do", "{", "!"]);
const UNKNOWN = new Set(["case", "select", "function", "coproc", "[["]);

class ScriptReader implements Substitutions {
  readonly commands: SimpleCommand[] = [];
  readonly #cursor: Cursor;
  #depth = 0;
  /** Open groups and loops. */
  #open = 0;
  #hereDocuments: { delimiter: string; quoted: boolean; tabs: boolean }[] = [];

  constructor(text: string) {
    this.#cursor = new Cursor(text);
  }

  /** Reads to the end of the text, or past the closing bracket. */
  list(until: ")" | null): void {
    if (++this.#depth > MOST_DEPTH) throw new NotUnderstood();
    while (true) {
      this.#blanks();
      const char = this.#cursor.peek();
      if (char === "") {
        if (until !== null || this.#hereDocuments.length > 0) throw new NotUnderstood();
        break;
      }
      if (char === ")") {
        if (until === null) throw new NotUnderstood();
        this.#cursor.at++;
        break;
      }
      if (char === "\n") this.#newline();
      else if (char === ";") this.#cursor.at++;
      else if (char === "(") this.#group();
      else this.#command(until !== null);
    }
    this.#depth--;
  }

  #group(): void {
    if (this.#cursor.text.startsWith("((", this.#cursor.at)) throw new NotUnderstood();
    this.#cursor.at++;
    const first = this.commands.length;
    this.list(")");
    this.#nest(first);
    while (this.#redirection() !== null) this.#blanks();
    this.#joiner();
  }

  #command(inGroup: boolean): void {
    const assignments: { name: string; value: ShellWord }[] = [];
    const words: ShellWord[] = [];
    const redirections: Redirection[] = [];
    let nested = inGroup || this.#open > 0;
    while (true) {
      this.#blanks();
      const redirection = this.#redirection();
      if (redirection !== null) {
        redirections.push(redirection);
        continue;
      }
      if (ENDS_COMMAND.has(this.#cursor.peek())) break;
      if (this.#cursor.peek() === "(") throw new NotUnderstood();
      const start = this.#cursor.at;
      const word = this.#word();
      const source = this.#cursor.text.slice(start, this.#cursor.at);
      if (words.length > 0) {
        words.push(word);
        continue;
      }
      const assigned = /^([A-Za-z_]\w*)(\+?)=/.exec(source);
      if (assigned?.[1] !== undefined) {
        const head = assigned[0].length;
        assignments.push({ name: assigned[1], value: { ...word, text: word.text.slice(head) } });
        continue;
      }
      if (assignments.length === 0 && redirections.length === 0) {
        if (UNKNOWN.has(source)) throw new NotUnderstood();
        if (OPENERS.has(source)) {
          if (source === "if" || source === "while" || source === "until" || source === "{") {
            this.#open++;
          }
          nested = true;
          continue;
        }
        if (source === "for") {
          this.#forHead();
          this.#open++;
          return;
        }
        if (CLOSERS.has(source)) {
          if (--this.#open < 0) throw new NotUnderstood();
          nested = true;
          this.#blanks();
          while (this.#redirection() !== null) this.#blanks();
          if (!ENDS_COMMAND.has(this.#cursor.peek())) throw new NotUnderstood();
          break;
        }
      }
      words.push(word);
    }
    const joiner = this.#joiner();
    if (words.length + assignments.length + redirections.length === 0) return;
    this.commands.push({ assignments, words, redirections, joiner, nested });
  }

  /** `for NAME in words`: only the shell knows the words. */
  #forHead(): void {
    this.#blanks();
    if (this.#cursor.text.startsWith("((", this.#cursor.at)) throw new NotUnderstood();
    while (!ENDS_COMMAND.has(this.#cursor.peek())) {
      this.#word();
      this.#blanks();
    }
    this.#joiner();
  }

  #nest(from: number): void {
    for (let at = from; at < this.commands.length; at++) {
      const command = this.commands[at];
      if (command !== undefined) this.commands[at] = { ...command, nested: true };
    }
  }

  #joiner(): Joiner {
    this.#blanks();
    const joiner = JOINERS.find((each) => this.#cursor.text.startsWith(each, this.#cursor.at));
    if (joiner === undefined) {
      if (this.#cursor.peek() === "\n") this.#newline();
      return this.#endsHere() ? "end" : ";";
    }
    this.#cursor.at += joiner.length;
    if (joiner === "|&") return "|";
    if (joiner === ";;") throw new NotUnderstood();
    return joiner === ";" && this.#endsHere() ? "end" : joiner;
  }

  /** Only blanks and line ends are left. */
  #endsHere(): boolean {
    return (
      this.#hereDocuments.length === 0 && /^\s*$/.test(this.#cursor.text.slice(this.#cursor.at))
    );
  }

  #redirection(): Redirection | null {
    const [source] =
      /^(?:\d*(?:<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)|&>>|&>)/.exec(
        this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + 24),
      ) ?? [];
    if (source === undefined) return null;
    this.#cursor.at += source.length;
    const operator = source.replace(/^\d+/, "");
    this.#blanks();
    if (ENDS_COMMAND.has(this.#cursor.peek()) || "(<>".includes(this.#cursor.peek()))
      throw new NotUnderstood();
    const start = this.#cursor.at;
    const target = this.#word();
    if (operator === "<<" || operator === "<<-") {
      const quoted = /['"\\]/.test(this.#cursor.text.slice(start, this.#cursor.at));
      this.#hereDocuments.push({ delimiter: target.text, quoted, tabs: operator === "<<-" });
    }
    return { operator, target };
  }

  #newline(): void {
    this.#cursor.at++;
    for (const { delimiter, quoted, tabs } of this.#hereDocuments.splice(0)) {
      while (true) {
        if (this.#cursor.at >= this.#cursor.text.length) throw new NotUnderstood();
        const end = this.#cursor.text.indexOf("\n", this.#cursor.at);
        const line = this.#cursor.text.slice(
          this.#cursor.at,
          end === -1 ? this.#cursor.text.length : end,
        );
        this.#cursor.at = end === -1 ? this.#cursor.text.length : end + 1;
        if ((tabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
        if (!quoted && /\$\(|`/.test(line)) throw new NotUnderstood();
      }
    }
  }

  #word(): ShellWord {
    return readWord(this.#cursor, this);
  }

  inBrackets(): void {
    const first = this.commands.length;
    const open = this.#open;
    this.list(")");
    if (this.#open !== open) throw new NotUnderstood();
    this.#nest(first);
  }

  inBackquotes(script: string): void {
    const inner = new ScriptReader(script);
    inner.#depth = this.#depth;
    inner.list(null);
    this.commands.push(...inner.commands.map((command) => ({ ...command, nested: true })));
  }

  /** Spaces, continued lines and comments. */
  #blanks(): void {
    while (true) {
      const char = this.#cursor.peek();
      if (char === " " || char === "\t") this.#cursor.at++;
      else if (char === "\\" && this.#cursor.text.charAt(this.#cursor.at + 1) === "\n")
        this.#cursor.at += 2;
      else if (char === "#" && ENDS_WORD.has(this.#cursor.text.charAt(this.#cursor.at - 1))) {
        const end = this.#cursor.text.indexOf("\n", this.#cursor.at);
        this.#cursor.at = end === -1 ? this.#cursor.text.length : end;
      } else return;
    }
  }
}

const JOINERS = ["&&", "||", "|&", ";;", ";", "|", "&"] as const;
