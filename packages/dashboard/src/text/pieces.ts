/** What is shown of a text at first, and how much each "show more" adds, in characters. */
export const FIRST_CHARS = 12_000;
export const MORE_CHARS = 60_000;

/** More than this is not shown, however often somebody asks: such a text is for a file. */
export const MOST_CHARS = 500_000;

/** The part of `text` that is shown: it ends behind a line if there is one near, and never between the halves of a
 *  character. */
export function shownPart(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const line = text.lastIndexOf("\n", chars);
  if (line > chars * 0.8) return text.slice(0, line + 1);
  const code = text.charCodeAt(chars - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? chars - 1 : chars);
}

/** A size for people. */
export function sizeOf(chars: number): string {
  if (chars < 1_000) return `${chars} characters`;
  if (chars < 1_000_000) return `${(chars / 1_000).toFixed(chars < 10_000 ? 1 : 0)} k characters`;
  return `${(chars / 1_000_000).toFixed(1)} M characters`;
}
