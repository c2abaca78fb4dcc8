/** A text as a model sees it: whole, or its beginning and its end, with the length of the gap between them. */
export function excerpt(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const left = text.length - 2 * half;
  const begin = text.slice(0, half).toWellFormed();
  return `${begin}\n[… ${left} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
