import stringWidth from "fast-string-truncated-width";

/** Terminal columns that the text takes: two for a wide character, none for a combining mark. */
export function widthOf(text: string): number {
  return stringWidth(text).width;
}

/** As many whole characters, as people see them, as fit into the columns; `…` replaces the rest. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  // Only what does not fit is worth a segmenter, which takes some 20 ms to make.
  for (const { segment } of charactersOf(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function charactersOf(text: string): Iterable<{ segment: string }> {
  if (ASCII.test(text)) return Array.from(text, (segment) => ({ segment }));
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

const ASCII = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;
