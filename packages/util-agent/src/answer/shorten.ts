/** The beginning and the end of a text that is too long, with a line between them that says how much is missing. */
export function shorten(text: string, maxChars: number): string {
  const half = Math.floor(maxChars / 2);
  const cut = text.length - 2 * half;
  if (text.length <= maxChars) return text;
  // A cut may fall between the halves of a surrogate pair.
  return `${text.slice(0, half).toWellFormed()}\n[… ${cut} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
