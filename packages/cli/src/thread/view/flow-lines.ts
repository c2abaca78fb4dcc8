/** Words on a line, two spaces apart; on a narrow terminal, on as many lines as they need. Words are not broken. */
export function flowLines(
  words: readonly string[],
  { indent, columns }: { indent: number; columns: number | null },
): string[] {
  const lines: string[] = [];
  const start = " ".repeat(indent);
  for (const word of words) {
    const longer = lines.length === 0 ? null : `${lines.at(-1)}  ${word}`;
    if (longer === null || (columns !== null && [...longer].length > columns)) {
      lines.push(start + word);
    } else {
      lines[lines.length - 1] = longer;
    }
  }
  return lines;
}
