import stringWidth from "string-width";

/** Terminal columns that the text takes: two for a wide character, none for a combining mark. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** As many whole characters, as people see them, as fit into the columns; `…` replaces the rest. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of CHARACTERS.segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const CHARACTERS = new Intl.Segmenter();
