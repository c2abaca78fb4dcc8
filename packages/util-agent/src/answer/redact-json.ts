import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";

/** The value with every string in it, keys included, passed through `redact`. */
export function redactJson(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => redactJson(item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactJson(item, redact)]),
  );
}

/** `Array.isArray` does not recognize readonly arrays. */
function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
