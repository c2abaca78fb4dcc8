const LINES = 6;
const CHARS = 1_000;
const LOOKED_AT_CHARS = 16_000;

/** `    at file:1:2` and the like: where it broke, in so many lines that they would hide what broke. */
const STACK_FRAME = /^\s+at .*:\d+\)?(?: \{)?\r?$/;

/** A program's last words, for an error message; empty when it printed nothing. Blank lines and JavaScript stack
 *  frames are left out. */
export function lastLines(text: string): string {
  const lines = text.slice(-LOOKED_AT_CHARS).split("\n");
  const words = lines.filter((line) => line.trim() !== "" && !STACK_FRAME.test(line));
  return words.slice(-LINES).join("\n").trimEnd().slice(-CHARS).toWellFormed();
}
