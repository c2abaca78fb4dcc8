const LINES = 5;
const CHARS = 1_000;

/** A program's last words, for an error message: empty when it said nothing. */
export function lastLines(text: string): string {
  return text.trimEnd().slice(-CHARS).toWellFormed().split("\n").slice(-LINES).join("\n");
}
