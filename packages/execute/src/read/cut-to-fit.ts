/** The longest beginning of a text that takes at most `room` characters when shown. A text must not get shorter than
 *  half its length by being shown. Never splits a surrogate pair. */
export function cutToFit(
  text: string,
  shownLength: (start: string) => number,
  room: number,
): string {
  let fits = 0;
  let tooLong = Math.min(text.length, 2 * Math.max(0, Math.floor(room))) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (shownLength(text.slice(0, middle)) <= room) fits = middle;
    else tooLong = middle;
  }
  const last = text.charCodeAt(fits - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? fits - 1 : fits);
}
