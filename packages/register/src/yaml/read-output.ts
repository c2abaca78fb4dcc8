/** A role's `output`: the part of JSON Schema that can be checked and passed to every agent. */
import { type JsonObject, type JsonValue, toJsonObject } from "@uncaged/workflow-protocol";
import { isMap, isScalar, isSeq } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import {
  allOf,
  amountOf,
  choiceOf,
  countOf,
  fault,
  fieldsOf,
  type Item,
  itemsOf,
  keyFault,
  textOf,
} from "./item.ts";
import type { YamlChecks } from "./yaml-checks.ts";

/** The values of an output's field `status`: a list of texts, or none to decide by. One that is itself faulty is
 *  `unreadable`, and causes no further faults. */
export type Statuses = readonly string[] | "none" | "unreadable";

export type Output = { schema: JsonObject; statuses: Statuses };

export function readOutput(
  item: Item,
  { checkPattern }: Pick<YamlChecks, "checkPattern">,
): Output | null {
  const schema = readSchema(item, { depth: 0, checkPattern });
  if (schema === null) return null;
  if (schema.type !== "object") return keyFault(item, 'must say "type: object"');
  const fields = fieldsOf(item, { known: KEYWORDS });
  const properties = fields?.get("properties");
  const status = properties && fieldsOf(properties, { known: namesIn(schema) })?.get("status");
  const statuses = status === undefined ? "none" : statusesOf(status);
  if (status !== undefined && Array.isArray(statuses) && !requiredIn(schema).includes("status")) {
    keyFault(status, 'the graph decides by it, so "required" must have it');
  }
  return { schema, statuses };
}

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
const FORMATS = ["date", "date-time", "time", "email", "uri", "uuid"] as const;
const MAX_DEPTH = 30;

/** The depth of a schema, and the check for patterns. */
type Inside = { depth: number; checkPattern: YamlChecks["checkPattern"] };
type Keyword = (item: Item, inside: Inside) => JsonValue | null;

const count: Keyword = (item) => countOf(item, { atLeast: 0 });

/** Each allowed keyword, with its reader. */
const READERS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["type", (item) => (isSeq(item.node) ? allOf(item, typeOf) : typeOf(item))],
  ["title", textOf],
  ["description", textOf],
  ["enum", plainList],
  ["const", plainValue],
  ["default", plainValue],
  ["properties", readProperties],
  ["required", (item) => allOf(item, textOf)],
  ["additionalProperties", booleanOrSchema],
  ["items", readSchema],
  ["minItems", count],
  ["maxItems", count],
  ["minLength", count],
  ["maxLength", count],
  ["pattern", patternOf],
  ["format", (item) => choiceOf(item, FORMATS)],
  ["minimum", numberOf],
  ["maximum", numberOf],
  ["exclusiveMinimum", numberOf],
  ["exclusiveMaximum", numberOf],
  ["multipleOf", amountOf],
  ["anyOf", (item, inside) => allOf(item, (each) => readSchema(each, inside))],
]);
const KEYWORDS: readonly string[] = [...READERS.keys()];

function readSchema(item: Item, inside: Inside): JsonObject | null {
  if (inside.depth > MAX_DEPTH) return fault(item, "is nested too deep");
  const fields = fieldsOf(item, { known: KEYWORDS });
  if (fields === null) return null;
  const deeper = { ...inside, depth: inside.depth + 1 };
  const read: [string, JsonValue][] = [];
  for (const [name, field] of fields) {
    const value = READERS.get(name)?.(field, deeper) ?? null;
    if (value !== null || name === "const" || name === "default") read.push([name, value]);
  }
  const schema: JsonObject = Object.fromEntries(read);
  if (!["type", "enum", "const", "anyOf"].some((name) => fields.has(name))) {
    keyFault(item, `must say what it is: "type" with one of ${TYPES.join(", ")}`);
  }
  if (fields.has("properties")) checkRequired(fields.get("required"), namesIn(schema));
  return schema;
}

function readProperties(item: Item, inside: Inside): JsonObject | null {
  if (!isMap(item.node)) return fault(item, "must be a mapping of names to schemas");
  const names = item.node.items.flatMap(({ key }) =>
    isScalar(key) && typeof key.value === "string" ? [key.value] : [],
  );
  const entries = fieldsOf(item, { known: names });
  const read: [string, JsonObject][] = [];
  for (const [name, entry] of entries ?? []) {
    if (name === "__proto__") keyFault(entry, "a field cannot have this name");
    const schema = readSchema(entry, inside);
    if (schema !== null) read.push([name, schema]);
  }
  return Object.fromEntries(read);
}

function checkRequired(required: Item | undefined, names: readonly string[]): void {
  if (required === undefined || !isSeq(required.node)) return;
  for (const each of itemsOf(required) ?? []) {
    const name = isScalar(each.node) ? each.node.value : null;
    if (typeof name === "string" && !names.includes(name)) {
      fault(each, `${JSON.stringify(name)} is not one of the properties${didYouMean(name, names)}`);
    }
  }
}

function statusesOf(item: Item): Statuses {
  const fields = fieldsOf(item, { known: KEYWORDS });
  const list = fields?.get("enum");
  if (list !== undefined) return allOf(list, statusOf) ?? "unreadable";
  const only = fields?.get("const");
  if (only === undefined) return "none";
  const status = statusOf(only);
  return status === null ? "unreadable" : [status];
}

function statusOf(item: Item): string | null {
  const status = textOf(item);
  if (status === null) return null;
  return /^(?:role|FALLBACK|\$.*|[\s\S]{65,})$/.test(status)
    ? fault(item, `${JSON.stringify(status)} cannot be a status: use another word`)
    : status;
}

function typeOf(item: Item): string | null {
  return choiceOf(item, TYPES);
}

function booleanOrSchema(item: Item, inside: Inside): JsonValue | null {
  const value = isScalar(item.node) ? item.node.value : null;
  return typeof value === "boolean" ? value : readSchema(item, inside);
}

function numberOf(item: Item): number | null {
  const value = isScalar(item.node) ? item.node.value : null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return fault(item, "must be a number");
}

/** It is matched against what an agent says, so a linear engine must accept it, and JSON Schema as well. */
function patternOf(item: Item, { checkPattern }: Inside): string | null {
  const pattern = textOf(item);
  if (pattern === null) return null;
  try {
    new RegExp(pattern, "u");
  } catch (thrown) {
    return fault(item, thrown instanceof Error ? thrown.message : String(thrown));
  }
  const problem = checkPattern(pattern);
  return problem === null ? pattern : fault(item, problem.message);
}

function plainList(item: Item): JsonValue | null {
  const items = itemsOf(item);
  if (items === null) return null;
  if (items.length === 0) return fault(item, "must not be empty");
  return items.map(plainValue);
}

/** What JSON can represent; null may be intended. */
function plainValue(item: Item): JsonValue | null {
  const value = isScalar(item.node) ? toJsonObject({ value: item.node.value })?.value : undefined;
  return value === undefined ? fault(item, "must be a text, a number, true, false or null") : value;
}

function namesIn(schema: JsonObject): string[] {
  return Object.keys(Object(schema.properties));
}

function requiredIn(schema: JsonObject): readonly unknown[] {
  return Array.isArray(schema.required) ? schema.required : [];
}
