import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";

/** The schema in the form that Codex may pass to its model, or null. It is sent upstream as a *strict* one, and
 *  whatever strict schemas may not contain makes the whole turn fail there: optional properties, open objects,
 *  patterns of keys, a union at the top. The answer is always checked here as well. */
export function strictSchema(schema: JsonObject): JsonObject | null {
  const { $schema: _, ...plain } = schema;
  return plain.type === "object" && isStrict(plain) ? plain : null;
}

const KNOWN = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "description",
  "title",
  "$defs",
  "$ref",
]);

function isStrict(schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return false;
  if (Object.keys(schema).some((key) => !KNOWN.has(key))) return false;
  if (schema.type === "object" && !isClosed(schema)) return false;
  if (schema.type === "array" && schema.items === undefined) return false;
  if (schema.type === undefined && !SHAPES.some((key) => schema[key] !== undefined)) return false;
  return subschemas(schema).every(isStrict);
}

/** What determines the shape in a schema without `type`. */
const SHAPES = ["anyOf", "$ref", "enum", "const"];

function isClosed({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = new Set(Array.isArray(required) ? required : []);
  return Object.keys(properties).every((name) => names.has(name));
}

function subschemas({ properties, $defs, items, anyOf }: JsonObject): (JsonValue | undefined)[] {
  const valuesOf = (value: JsonValue | undefined): JsonValue[] =>
    isObject(value) ? Object.values(value) : [];
  return [
    ...valuesOf(properties),
    ...valuesOf($defs),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
  ];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
