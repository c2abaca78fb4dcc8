import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "@uncaged/workflow-protocol";

/** The one way in which we write a JSON value: RFC 8785 (no spaces, keys sorted by UTF-16 code
 *  units), with those characters escaped that YAML does not print or reads as line breaks. So the
 *  bytes are the same everywhere, and every YAML parser reads what every JSON parser reads.
 *  Throws `TypeError` for what is not JSON: undefined, NaN, functions, cycles, deeper nesting
 *  than `MAX_JSON_DEPTH`. */
export function canonicalJson(value: JsonValue): string {
  // What is to be escaped stands between quotes, wherever it is: one look at the whole finds it.
  return escapeUnprinted(write(value, 0));
}

/** DEL and the C1 controls (with NEL), the two Unicode line breaks, the byte-order mark and the two
 *  non-characters of the basic plane: YAML does not print them, and some steer a terminal. */
export const UNPRINTED: RegExp = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/** Writes them as `\uXXXX`. To be used where they can only stand between double quotes. */
export function escapeUnprinted(quotedText: string): string {
  return quotedText.replace(EVERY_UNPRINTED, escapeUnit);
}

const EVERY_UNPRINTED = new RegExp(UNPRINTED, "g");

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function write(value: JsonValue, depth: number): string {
  // JSON.stringify escapes what is below U+0020 and lone surrogates.
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== "object") throw new TypeError(`${String(value)} is not JSON`);
  if (depth === MAX_JSON_DEPTH) throw new TypeError(`JSON deeper than ${MAX_JSON_DEPTH} levels`);
  return isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
}

// Texts grow piece by piece: every step of a thread is written here, and lists of pieces would cost more.

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

/** `Array.isArray` does not narrow a union that holds a readonly array. */
function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
