/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** Deeper nesting is refused: recursive parsers in other programs fail at about this depth. */
export const MAX_JSON_DEPTH = 200;

/** The parsed value; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy of a plain object of plain JSON values, without its `undefined` properties; null when it contains anything
 *  else: a function, a class instance, a cycle, NaN. Keys such as `__proto__` are data. */
export function toJsonObject(value: unknown): JsonObject | null {
  const copy = jsonCopy(value, 0);
  return isPlainObject(copy) ? copy : null;
}

/** `undefined` means "not JSON"; it is never a JSON value itself. */
function jsonCopy(value: unknown, depth: number): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (depth >= MAX_JSON_DEPTH) return undefined;
  if (Array.isArray(value)) return arrayCopy(value, depth);
  return isPlainObject(value) ? objectCopy(value, depth) : undefined;
}

function arrayCopy(items: readonly unknown[], depth: number): JsonValue | undefined {
  const copies: JsonValue[] = [];
  for (const item of items) {
    const copy = jsonCopy(item, depth + 1);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

function objectCopy(source: object, depth: number): JsonObject | undefined {
  const entries: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(source)) {
    if (value === undefined) continue;
    const copy = jsonCopy(value, depth + 1);
    if (copy === undefined) return undefined;
    entries.push([key, copy]);
  }
  // fromEntries defines properties, so a key `__proto__` becomes data, not the prototype.
  return Object.fromEntries(entries);
}

function isPlainObject<T>(value: T): value is T & JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A bundle may run in its own realm, with a different `Object`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
