import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "@uncaged/workflow-protocol";

/** The only form in which we write a JSON value: RFC 8785 (no spaces, keys sorted by UTF-16 code units), and in
 *  addition escapes for characters that YAML does not print or reads as line breaks. So the bytes are the same
 *  everywhere, and every YAML parser reads what every JSON parser reads. Throws `TypeError` for anything that is not
 *  JSON: undefined, NaN, functions, cycles, deeper nesting than `MAX_JSON_DEPTH`. */
export function canonicalJson(value: JsonValue): string {
  // Characters to be escaped can only be inside quotes, so a single pass over the whole text finds them.
  return escapeUnprinted(write(value, 0));
}

/** DEL and the C1 controls (with NEL), the two Unicode line breaks, the byte-order mark and the two non-characters of
 *  the basic plane: YAML does not print them, and some control a terminal. */
export const UNPRINTED: RegExp = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/** Writes them as `\uXXXX`. Use it only where they can only be inside double quotes. */
export function escapeUnprinted(quotedText: string): string {
  return quotedText.replace(EVERY_UNPRINTED, escapeUnit);
}

const EVERY_UNPRINTED = new RegExp(UNPRINTED, "g");

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function write(value: JsonValue, depth: number): string {
  // JSON.stringify escapes everything below U+0020 and lone surrogates.
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== "object") throw new TypeError(`${String(value)} is not JSON`);
  if (depth === MAX_JSON_DEPTH) throw new TypeError(`JSON deeper than ${MAX_JSON_DEPTH} levels`);
  return isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
}

// Appends to one string: this writes every step of a thread, and lists of pieces would cost more.

function writeArray(items: readonly JsonValue[], depth: number): string {
  let text = "";
  for (const item of items) text += `${text === "" ? "" : ","}${write(item, depth + 1)}`;
  return `[${text}]`;
}

function writeObject(object: JsonObject, depth: number): string {
  let text = "";
  for (const key of Object.keys(object).sort()) {
    const value = write(own(object, key), depth + 1);
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${value}`;
  }
  return `{${text}}`;
}

function own(object: JsonObject, key: string): JsonValue {
  const value = object[key];
  if (value === undefined) throw new TypeError(`${JSON.stringify(key)} is undefined, not JSON`);
  return value;
}

/** `Array.isArray` does not narrow a union that contains a readonly array. */
function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
