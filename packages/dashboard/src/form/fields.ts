import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";

/** One part of a form that was made from a JSON Schema. */
export type FormField = {
  /** Key of the property. */
  name: string;
  label: string;
  hint: string | null;
  required: boolean;
  control: Control;
};

export type Control =
  | { kind: "choice"; options: readonly JsonValue[]; nullable: boolean }
  | { kind: "yes-no"; nullable: boolean }
  | { kind: "number"; whole: boolean; nullable: boolean }
  | { kind: "text"; long: boolean; nullable: boolean }
  /** One text for each line. */
  | { kind: "lines" }
  | { kind: "several"; options: readonly JsonValue[] }
  | { kind: "fields"; fields: readonly FormField[] }
  /** What no control here can say is typed as JSON. */
  | { kind: "json" };

/** Fields for each property of an object's schema; null: the schema is not one of an object with properties. */
export function fieldsOf(schema: JsonObject): FormField[] | null {
  const { properties } = schema;
  if (!isObject(properties)) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, given]) => {
    const own = isObject(given) ? given : {};
    return {
      name,
      label: text(own.title) ?? (name === "status" && "enum" in own ? "Answer" : name),
      hint: text(own.description),
      required: required.includes(name),
      control: controlOf(own),
    };
  });
}

function controlOf(schema: JsonObject): Control {
  const { inner, nullable } = withoutNull(schema);
  if (Array.isArray(inner.enum)) {
    const options = inner.enum.filter((option) => option !== null);
    return { kind: "choice", options, nullable: nullable || options.length < inner.enum.length };
  }
  if (inner.const !== undefined) return { kind: "choice", options: [inner.const], nullable };
  const constants = constantsOf(inner);
  if (constants !== null) return { kind: "choice", options: constants, nullable };
  switch (inner.type) {
    case "boolean":
      return { kind: "yes-no", nullable };
    case "integer":
    case "number":
      return { kind: "number", whole: inner.type === "integer", nullable };
    case "string":
      return { kind: "text", long: isLong(inner), nullable };
    case "array": {
      const items = isObject(inner.items) ? inner.items : {};
      if (nullable) return { kind: "json" };
      if (Array.isArray(items.enum)) return { kind: "several", options: items.enum };
      return items.type === "string" ? { kind: "lines" } : { kind: "json" };
    }
    case "object": {
      const fields = nullable ? null : fieldsOf(inner);
      return fields === null ? { kind: "json" } : { kind: "fields", fields };
    }
    default:
      return { kind: "json" };
  }
}

/** `anyOf: [X, null]` and `type: [X, "null"]` are X that may be left empty. */
function withoutNull(schema: JsonObject): { inner: JsonObject; nullable: boolean } {
  const union = Array.isArray(schema.anyOf)
    ? schema.anyOf
    : Array.isArray(schema.oneOf)
      ? schema.oneOf
      : null;
  if (union !== null) {
    const others = union.filter((part) => !(isObject(part) && part.type === "null"));
    const [only] = others;
    if (others.length === 1 && others.length < union.length && isObject(only)) {
      return { inner: only, nullable: true };
    }
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    const [only] = types;
    if (types.length === 1 && only !== undefined) {
      return { inner: { ...schema, type: only }, nullable: types.length < schema.type.length };
    }
  }
  return { inner: schema, nullable: false };
}

function constantsOf({ anyOf, oneOf }: JsonObject): JsonValue[] | null {
  const union = anyOf ?? oneOf;
  if (!Array.isArray(union) || union.length === 0) return null;
  const constants = union.flatMap((part) =>
    isObject(part) && part.const !== undefined ? [part.const] : [],
  );
  return constants.length === union.length ? constants : null;
}

/** A name of a thing is short; whatever else people say gets room. */
function isLong({ maxLength, format, pattern }: JsonObject): boolean {
  if (typeof maxLength === "number") return maxLength > 120;
  if (typeof format === "string") return false;
  return typeof pattern !== "string" || pattern === "\\S";
}

const text = (value: JsonValue | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
