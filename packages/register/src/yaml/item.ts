/** A value in the file with everything that a message about it needs, and the readers for each kind of value. A
 *  reader returns null when the value is not of its kind, after reporting that. */
import { isAlias, isMap, isScalar, isSeq, type Node } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import type { Faults, Span } from "./faults.ts";

export type Item = {
  node: Node | null;
  /** The value's span; without a value, its key's. */
  span: Span;
  /** The key's span; in a list, the value's. */
  keySpan: Span;
  /** `roles.writer.goal` */
  path: string;
  faults: Faults;
};

export function rootItem(node: Node, faults: Faults): Item {
  const span = spanOf(node) ?? [0, 1];
  return { node, span, keySpan: [span[0], span[0] + 1], path: "", faults };
}

export function fault(item: Item, message: string): null {
  item.faults.add(item.span, `${placeOf(item)}: ${message}`);
  return null;
}

export function keyFault(item: Item, message: string): null {
  item.faults.add(item.keySpan, `${placeOf(item)}: ${message}`);
  return null;
}

function placeOf({ path }: Item): string {
  return path === "" ? "the file" : path;
}

/** Key → value, in file order. */
export function entriesOf(item: Item, kind: string): Map<string, Item> | null {
  const { node, path, faults } = item;
  if (!isMap(node)) return fault(item, `must be ${kind}, ${foundInstead(node)}`);
  const entries = new Map<string, Item>();
  for (const { key, value } of node.items) {
    const keySpan = spanOf(key) ?? item.span;
    const name = isScalar(key) ? key.value : null;
    if (typeof name !== "string" || name === "") {
      const written = isScalar(key) ? String(key.value) : "this";
      faults.add(
        keySpan,
        `${path === "" ? "" : `${path}: `}${written} is not a name; put quotes around it`,
      );
      continue;
    }
    if (entries.has(name)) faults.add(keySpan, `${JSON.stringify(name)} appears here twice`);
    const span = isEmpty(value) ? keySpan : (spanOf(value) ?? keySpan);
    const valueNode = isNodeLike(value) ? value : null;
    entries.set(name, { node: valueNode, span, keySpan, path: joined(path, name), faults });
  }
  return entries;
}

/** The fields of a mapping with known keys. */
export function fieldsOf(
  item: Item,
  { known, required = [] }: { known: readonly string[]; required?: readonly string[] },
): Map<string, Item> | null {
  const entries = entriesOf(item, `a mapping with ${known.join(", ")}`);
  if (entries === null) return null;
  for (const [name, entry] of entries) {
    if (known.includes(name)) continue;
    keyFault(entry, `${JSON.stringify(name)} is not known here${didYouMean(name, known)}`);
    entries.delete(name);
  }
  for (const name of required) {
    if (!entries.has(name)) keyFault(item, `${JSON.stringify(name)} is missing`);
  }
  return entries;
}

export function itemsOf(item: Item): Item[] | null {
  const { node, path, faults } = item;
  if (!isSeq(node)) return fault(item, `must be a list, ${foundInstead(node)}`);
  return node.items.map((value, at) => {
    const span = spanOf(value) ?? item.span;
    const valueNode = isNodeLike(value) ? value : null;
    return { node: valueNode, span, keySpan: span, path: `${path}[${at}]`, faults };
  });
}

export function textOf(item: Item): string | null {
  const value = isScalar(item.node) ? item.node.value : undefined;
  if (typeof value !== "string") {
    // `{{ last }}` without quotes is a mapping in a mapping.
    const isPlaceholder = isMap(item.node) && item.node.flow === true;
    const hint = isPlaceholder || isScalar(item.node) ? "; put quotes around it" : "";
    return fault(item, `must be text, ${foundInstead(item.node)}${hint}`);
  }
  return value.trim() === "" ? fault(item, "must not be empty") : value;
}

export function choiceOf<T extends string>(item: Item, choices: readonly T[]): T | null {
  const text = textOf(item);
  if (text === null) return null;
  const choice = choices.find((each) => each === text);
  return (
    choice ?? fault(item, `${JSON.stringify(text)} is not known here${didYouMean(text, choices)}`)
  );
}

export function countOf(item: Item, { atLeast }: { atLeast: number }): number | null {
  const value = isScalar(item.node) ? item.node.value : undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= atLeast) return value;
  return fault(item, `must be a whole number, ${atLeast} or more`);
}

export function flagOf(item: Item): boolean | null {
  const value = isScalar(item.node) ? item.node.value : undefined;
  return typeof value === "boolean" ? value : fault(item, "must be true or false");
}

export function amountOf(item: Item): number | null {
  const value = isScalar(item.node) ? item.node.value : undefined;
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  return fault(item, "must be an amount above 0");
}

/** Reads every item of a list; null when one cannot be read. */
export function allOf<T>(item: Item, read: (each: Item) => T | null): T[] | null {
  const items = itemsOf(item);
  if (items === null) return null;
  const values = items.map(read);
  const right = values.filter((value): value is T & {} => value !== null);
  return right.length === values.length ? right : null;
}

function foundInstead(node: Node | null): string {
  if (isAlias(node)) return "not an alias: write the value out";
  if (isMap(node)) return "not a mapping";
  if (isSeq(node)) return "not a list";
  const value = isScalar(node) ? node.value : null;
  if (value === null) return "but there is nothing here";
  const [, key, rest] =
    typeof value === "string" ? (/^([\w$-]+):([^\s:/].*)$/.exec(value) ?? []) : [];
  if (key !== undefined) return `not text; a space is missing after the colon: ${key}: ${rest}`;
  return `not ${typeof value === "string" ? "text" : String(value)}`;
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null && (value.source ?? "") === "");
}

function isNodeLike(value: unknown): value is Node {
  return isAlias(value) || isScalar(value) || isMap(value) || isSeq(value);
}

function spanOf(value: unknown): Span | null {
  if (!isNodeLike(value) || !value.range) return null;
  const [start, end] = value.range;
  return [start, Math.max(end, start + 1)];
}
