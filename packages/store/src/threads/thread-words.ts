/** The words by which a thread is found, and its name when nobody gave it one. */

/** A longer prompt is searched up to here. */
const SEARCHED_CHARS = 4_000;
const LINE_CHARS = 120;

/** The first line with anything in it, on one line, cut to 120 characters; null: there is none. */
export function promptLine(prompt: string | null): string | null {
  const line = plain((prompt ?? "").trimStart().split("\n", 1)[0] ?? "");
  if (line === "") return null;
  const characters = [...line.slice(0, LINE_CHARS * 2)];
  return characters.length <= LINE_CHARS
    ? line
    : `${characters.slice(0, LINE_CHARS - 1).join("")}…`;
}

/** The words of title and prompt in a form in which `searchedFor` finds them. */
export function searchable(title: string | null, prompt: string | null): string {
  return folded(`${title ?? ""} ${(prompt ?? "").slice(0, SEARCHED_CHARS)}`);
}

/** The words to look for; each of them must occur. */
export function searchedFor(text: string): string[] {
  return folded(text)
    .split(" ")
    .filter((word) => word !== "");
}

function folded(text: string): string {
  return plain(text).normalize("NFC").toLowerCase();
}

/** Without control characters (SQLite would end a text at a NUL), and with single spaces. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
