const LINES = 6;
const CHARS = 1_000;
const LOOKED_AT_CHARS = 16_000;

/** `    at file:1:2` and its like: where it broke, and so many of them that they hide what did. */
const STACK_FRAME = /^\s+at .*:\d+\)?(?: \{)?\r?$/;

/** A program's last words, for an error message: empty when it said nothing. Blank lines and the
 *  frames of a JavaScript stack are left out. */
export function lastLines(text: string): string {
  const lines = text.slice(-LOOKED_AT_CHARS).split("\n");
  const words = lines.filter((line) => line.trim() !== "" && !STACK_FRAME.test(line));
  return words.slice(-LINES).join("\n").trimEnd().slice(-CHARS).toWellFormed();
}
