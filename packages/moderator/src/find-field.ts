/** Whether a value may have a field, and what that may be.
 *
 *  1. A field that some value of the shape has is never said to be missing. What is not understood allows everything.
 *  2. As expressions read them: a field of a list is that of its items; a text or a number has none.
 *  3. References may lead in circles, and alternatives multiply: each look takes from a budget. */
import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";
import { ANY, oneOf, type Shape } from "./shape.ts";

export type FoundField = {
  /** `declared`: a schema names it. `open`: none does, and an open one allows it. `unknown`: nothing can be said.
   *  `never`: no value has it. */
  presence: "declared" | "open" | "unknown" | "never";
  shape: Shape;
};

/** How many schemas may still be looked at. */
export type Budget = { left: number };

export function findField(shape: Shape, name: string, budget: Budget): FoundField {
  budget.left -= 1;
  if (budget.left < 0) return UNKNOWN;
  switch (shape.kind) {
    case "any":
      return UNKNOWN;
    case "scalar":
      return NEVER;
    case "list":
      return findField(shape.of, name, budget);
    case "object": {
      const field = shape.fields.get(name);
      return field === undefined ? NEVER : { presence: "declared", shape: field };
    }
    case "tally":
      return { ...findField(shape.of, name, budget), shape: ANY };
    case "one":
      return anyOf(shape.of.map((each) => findField(each, name, budget)));
    case "schema":
      return inSchema(shape.schema, { name, root: shape.root, budget, depth: 0 });
  }
}

const UNKNOWN: FoundField = { presence: "unknown", shape: ANY };
const NEVER: FoundField = { presence: "never", shape: ANY };

/** The value is one of these: the surest presence of any. */
function anyOf(found: readonly FoundField[]): FoundField {
  const possible = found.filter(({ presence }) => presence !== "never");
  const presence = (["declared", "unknown", "open"] as const).find((each) =>
    possible.some((one) => one.presence === each),
  );
  if (presence === undefined) return NEVER;
  return { presence, shape: oneOf(possible.map(({ shape }) => shape)) };
}

/** The value is all of these at once, so what one of them forbids is not there. Its shape is what the first one that
 *  names it says: the others can only narrow that. */
function allOf(found: readonly FoundField[]): FoundField {
  const [first = UNKNOWN] = found;
  if (found.some(({ presence }) => presence === "never")) return NEVER;
  return (
    found.find(({ presence }) => presence === "declared") ??
    found.find(({ presence }) => presence === "open") ??
    first
  );
}

type Look = { name: string; root: JsonValue; budget: Budget; depth: number };

function inSchema(schema: JsonValue | undefined, look: Look): FoundField {
  const { budget, root } = look;
  budget.left -= 1;
  if (budget.left < 0 || look.depth > MAX_DEPTH) return UNKNOWN;
  if (schema === false) return NEVER;
  const node = toNode(schema);
  if (node === null || NOT_UNDERSTOOD.some((keyword) => Object.hasOwn(node, keyword)))
    return UNKNOWN;
  const deeper = { ...look, depth: look.depth + 1 };
  const all: FoundField[] = [ownField(node, deeper)];
  for (const each of listIn(node.allOf)) all.push(inSchema(each, deeper));
  for (const options of [node.anyOf, node.oneOf]) {
    if (Array.isArray(options)) all.push(anyOf(options.map((each) => inSchema(each, deeper))));
  }
  if (node.$ref !== undefined) all.push(inSchema(referred(node.$ref, root), deeper));
  return allOf(all);
}

const MAX_DEPTH = 64;

/** They lead elsewhere, or add fields by conditions. */
const NOT_UNDERSTOOD = [
  "$dynamicRef",
  "$recursiveRef",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
  "$id",
] as const;

/** What the keywords of the node itself say of the field, by what the value may be. */
function ownField(node: JsonObject, look: Look): FoundField {
  if (node.const !== undefined) return inValues([node.const], look.name);
  if (Array.isArray(node.enum)) return inValues(node.enum, look.name);
  const types = typeof node.type === "string" ? [node.type] : listIn(node.type);
  const mayBe = (type: string): boolean => types.length === 0 || types.includes(type);
  return anyOf([
    mayBe("object") ? inObject(node, look) : NEVER,
    mayBe("array") ? inItems(node, look) : NEVER,
  ]);
}

/** A fixed value, which no schema describes. */
function inValues(values: readonly JsonValue[], name: string): FoundField {
  const mayHave = (value: JsonValue): boolean =>
    typeof value === "object" &&
    value !== null &&
    (Array.isArray(value) || Object.hasOwn(value, name));
  return values.some(mayHave) ? UNKNOWN : NEVER;
}

function inObject(
  { properties, patternProperties, additionalProperties }: JsonObject,
  { name, root }: Look,
): FoundField {
  const declared = toNode(properties);
  if (declared !== null && Object.hasOwn(declared, name)) {
    const schema = declared[name];
    if (schema === false || schema === undefined) return NEVER;
    return { presence: "declared", shape: { kind: "schema", schema, root } };
  }
  // Patterns are anybody's, so none is tried.
  if (patternProperties !== undefined) return UNKNOWN;
  if (additionalProperties === false) return NEVER;
  if (additionalProperties === undefined && declared === null) return UNKNOWN;
  const schema = additionalProperties ?? true;
  return { presence: "open", shape: { kind: "schema", schema, root } };
}

function inItems({ items, prefixItems }: JsonObject, look: Look): FoundField {
  if (Array.isArray(items) || (items === undefined && prefixItems === undefined)) return UNKNOWN;
  const first = listIn(prefixItems).map((each) => inSchema(each, look));
  return anyOf([...first, items === undefined ? UNKNOWN : inSchema(items, look)]);
}

/** What `#/$defs/Result` stands for; what is not found allows everything. */
function referred(ref: JsonValue, root: JsonValue): JsonValue | undefined {
  if (typeof ref !== "string" || !/^#(?:\/|$)/.test(ref)) return undefined;
  const steps = ref.split("/").slice(1);
  let node: JsonValue | undefined = root;
  for (const step of steps) {
    const inside = toNode(node);
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    node = inside !== null && Object.hasOwn(inside, key) ? inside[key] : undefined;
  }
  return node;
}

/** Names that schemas declare, for whoever looks for the one that was meant. */
export function declaredFields(shape: Shape, budget: Budget): string[] {
  const names = new Set<string>();
  const visit = (each: Shape, depth: number): void => {
    budget.left -= 1;
    if (budget.left < 0 || depth > MAX_DEPTH) return;
    if (each.kind === "object") for (const name of each.fields.keys()) names.add(name);
    if (each.kind === "list" || each.kind === "tally") visit(each.of, depth + 1);
    if (each.kind === "one") for (const option of each.of) visit(option, depth + 1);
    if (each.kind !== "schema") return;
    const node = toNode(each.schema);
    if (node === null) return;
    for (const name of Object.keys(toNode(node.properties) ?? {})) names.add(name);
    const others = [node.allOf, node.anyOf, node.oneOf, node.prefixItems].flatMap(listIn);
    const referenced = node.$ref === undefined ? undefined : referred(node.$ref, each.root);
    for (const schema of [...others, referenced, node.items]) {
      if (schema !== undefined) visit({ ...each, schema }, depth + 1);
    }
  };
  visit(shape, 0);
  return [...names];
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function toNode(value: JsonValue | undefined): JsonObject | null {
  return isNode(value) ? value : null;
}

function isNode(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
