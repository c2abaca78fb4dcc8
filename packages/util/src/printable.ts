/** Text from agents, bundles and arguments, made safe for a terminal: characters that would control the terminal or
 *  reorder a line become visible. Line feeds and tabs stay. For people only, never for data. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(STEERING, visible);
}

/** The same as a single line, cut to a number of characters. */
export function printableLine(text: string, maxLength: number): string {
  // Cut before and after: one line does not need all of a megabyte.
  const line = printable(text.slice(0, maxLength * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = [...line];
  if (characters.length <= maxLength && text.length <= maxLength * 4) return line;
  return `${characters.slice(0, maxLength - 1).join("")}…`;
}

/** C0 except tab and line feed, DEL, C1, the line separators, and the marks that change a line's direction. */
const STEERING = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function visible(character: string): string {
  if (character === "\n" || character === "\t") return character;
  const code = character.codePointAt(0) ?? 0;
  // Unicode has a picture for each of the old control characters.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
}
