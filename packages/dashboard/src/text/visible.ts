/** Characters that change how others are shown, or are not shown at all, except line breaks and tabs. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const JOINER = "\u200D";

/** The text with every character that could make it look like another text written out, such as `‹U+202E›`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char, at: number) => {
    if (char === "\r") return "";
    // Between pictures it makes one of them.
    if (
      char === JOINER &&
      /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u.test(text.slice(at - 2, at))
    )
      return char;
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `‹U+${code}›`;
  });
}

/** One line for a list: no breaks, nothing hidden, at most `max` characters. */
export function oneLine(text: string, max = 200): string {
  const cut = text.length > max * 2 ? text.slice(0, max * 2) : text;
  const line = visible(cut.replace(/\s+/g, " ").trim());
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
