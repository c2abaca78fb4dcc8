/** What a text means, apart from how it is written. */
import type { JsonValue } from "@uncaged/workflow-protocol";
import { isAlias, isMap, isScalar, isSeq } from "yaml";

/** Maps keep the order of their keys, and a key `__proto__` is only a key. */
export type Tree = null | boolean | number | string | readonly Tree[] | ReadonlyMap<string, Tree>;

export type Path = readonly (string | number)[];

/** Null is also what stands where nothing does. Throws `Unreadable` for what no workflow may have. */
export function treeOf(node: unknown): Tree {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) throw new Unreadable("it has an alias", node.range?.[0] ?? 0);
  if (isScalar(node)) return scalarOf(node);
  if (isSeq(node)) return node.items.map(treeOf);
  if (!isMap(node)) throw new Unreadable("it has something unknown", 0);
  const tree = new Map<string, Tree>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? key.value : null;
    const at = isScalar(key) ? (key.range?.[0] ?? 0) : (node.range?.[0] ?? 0);
    if (typeof name !== "string") throw new Unreadable("a key is not a name", at);
    if (tree.has(name)) throw new Unreadable(`the key ${JSON.stringify(name)} stands twice`, at);
    tree.set(name, treeOf(value));
  }
  return tree;
}

function scalarOf({ value, range }: { value: unknown; range?: readonly number[] | null }): Tree {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    default:
      if (value === null || value === undefined) return null;
      throw new Unreadable("a value is of no known kind", range?.[0] ?? 0);
  }
}

/** `offset`: where in the text. */
export class Unreadable extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export function treeFrom(value: JsonValue): Tree {
  if (Array.isArray(value)) return value.map(treeFrom);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([key, each]) => [key, treeFrom(each)]));
}

/** With keys in the same order: the order of rules counts. */
export function isSame(a: Tree, b: Tree): boolean {
  if (isFields(a)) {
    if (!isFields(b) || a.size !== b.size) return false;
    const others = [...b];
    return [...a].every(([key, value], at) => {
      const other = others[at];
      return other !== undefined && other[0] === key && isSame(value, other[1]);
    });
  }
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at] ?? null));
  }
  return Object.is(a, b);
}

export function isFields(tree: Tree | undefined): tree is ReadonlyMap<string, Tree> {
  return tree instanceof Map;
}

export function isList(tree: Tree | undefined): tree is readonly Tree[] {
  return Array.isArray(tree);
}

/** Undefined: there is nothing. */
export function treeAt(tree: Tree, path: Path): Tree | undefined {
  let at: Tree | undefined = tree;
  for (const key of path) {
    if (typeof key === "number") at = isList(at) ? at[key] : undefined;
    else at = isFields(at) ? at.get(key) : undefined;
  }
  return at;
}

export function textAt(tree: Tree, path: Path): string | null {
  const value = treeAt(tree, path);
  return typeof value === "string" ? value : null;
}

export function fieldsAt(tree: Tree, path: Path): ReadonlyMap<string, Tree> {
  const value = treeAt(tree, path);
  return isFields(value) ? value : new Map();
}

export function listAt(tree: Tree, path: Path): readonly Tree[] {
  const value = treeAt(tree, path);
  return isList(value) ? value : [];
}
