import stringWidth from "string-width";

/** Columns of a terminal that the text takes: two for a wide character, none for a mark that joins the one before it. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** As many whole characters, as people see them, as fit into the columns; `…` stands for those that do not. */
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
