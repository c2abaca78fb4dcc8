/** The command line as the model wrote it: Codex reports it as the third word of `/bin/bash -lc '…'`. Anything in
 *  another form is returned unchanged. */
export function shellCommand(reported: string): string {
  const words = splitWords(reported);
  const [shell = "", flag = "", line, ...more] = words ?? [];
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && line !== undefined && more.length === 0 ? line : reported;
}

/** Splits words like a POSIX shell, without expansions; null: a quote is left open. */
function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === " " || char === "\n" || char === "\t") {
      if (word !== null) words.push(word);
      word = null;
      at++;
      continue;
    }
    const piece =
      char === "'" ? quoted(text, at) : char === '"' ? doubleQuoted(text, at) : bare(text, at);
    if (piece === null) return null;
    word = (word ?? "") + piece.text;
    at = piece.end;
  }
  if (word !== null) words.push(word);
  return words;
}

type Piece = { text: string; end: number } | null;

function quoted(text: string, start: number): Piece {
  const end = text.indexOf("'", start + 1);
  return end === -1 ? null : { text: text.slice(start + 1, end), end: end + 1 };
}

function doubleQuoted(text: string, start: number): Piece {
  const parts: string[] = [];
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { text: parts.join(""), end: at + 1 };
    const next = text.charAt(at + 1);
    const escapes = char === "\\" && '"\\$`'.includes(next) && next !== "";
    parts.push(escapes ? next : char);
    if (escapes) at++;
  }
  return null;
}

function bare(text: string, start: number): Piece {
  return text.charAt(start) === "\\"
    ? { text: text.charAt(start + 1), end: start + 2 }
    : { text: text.charAt(start), end: start + 1 };
}
