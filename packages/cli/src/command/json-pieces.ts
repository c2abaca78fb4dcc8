/** Approximate characters per piece. */
const PIECE_CHARS = 1 << 18;

/** A document as one line of JSON, in pieces: together they are what `JSON.stringify` returns, except for more
 *  escapes, plus a line break. For a document that is or contains a long list, the whole text is never in memory. */
export function* jsonPieces(document: unknown): Generator<string, void> {
  let piece = "";
  for (const part of partsOf(document)) {
    piece += part;
    if (piece.length < PIECE_CHARS) continue;
    yield escaped(piece);
    piece = "";
  }
  yield `${escaped(piece)}\n`;
}

/** `JSON.stringify` leaves some characters alone that control the terminal or end a line for some readers. They
 *  occur only in strings, where an escape means the same character. */
export function escaped(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function* partsOf(document: unknown): Generator<string, void> {
  if (Array.isArray(document)) yield* listParts(document);
  else if (isPlainObject(document)) yield* objectParts(document);
  else yield JSON.stringify(document);
}

function* objectParts(object: object): Generator<string, void> {
  let before = "{";
  for (const [name, value] of Object.entries(object)) {
    // A value without JSON, such as undefined, leaves no trace of its name either.
    const text = Array.isArray(value) ? null : JSON.stringify({ [name]: value }).slice(1, -1);
    if (text === "") continue;
    yield `${before}${text ?? `${JSON.stringify(name)}:`}`;
    if (Array.isArray(value)) yield* listParts(value);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

function* listParts(list: readonly unknown[]): Generator<string, void> {
  let before = "[";
  for (const item of list) {
    yield `${before}${JSON.stringify(item) ?? "null"}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** An object with its own serialization is left to `JSON.stringify`. */
function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !("toJSON" in value);
}
