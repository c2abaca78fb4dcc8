/** A text as a tree of nodes that know where they stand. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { type Path, type Tree, treeOf, Unreadable } from "./tree.ts";

export type Doc = { text: string; root: Node | null; tree: Tree };

/** `YAML_INVALID` where the text cannot be read: it has to be corrected as text first. */
export function readDocument(text: string): Result<Doc, Failure> {
  const document = parseDocument(text, {
    prettyErrors: false,
    uniqueKeys: false,
    version: "1.2",
    // A number that is written in two ways is two texts.
    intAsBigInt: false,
  });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) return err(unreadable(text, error.message, error.pos[0]));
  try {
    const root = document.contents;
    return ok({ text, root, tree: treeOf(root) });
  } catch (thrown) {
    if (thrown instanceof Unreadable) return err(unreadable(text, thrown.message, thrown.offset));
    throw thrown;
  }
}

function unreadable(text: string, message: string, offset: number): Failure {
  const line = text.slice(0, offset).split("\n").length;
  return failure(
    "YAML_INVALID",
    `line ${line} cannot be read: ${message}`,
    "correct the text there; then it can be edited by forms again",
  );
}

export type YamlPair = Pair<Scalar, Node | null>;

export function pairsOf(map: YAMLMap): YamlPair[] {
  return map.items.filter((pair): pair is YamlPair => isScalar(pair.key));
}

export function pairIn(map: YAMLMap, key: string): { at: number; pair: YamlPair } | null {
  const pairs = pairsOf(map);
  const at = pairs.findIndex((pair) => pair.key.value === key);
  const pair = pairs[at];
  return pair === undefined ? null : { at, pair };
}

export function nodeAt(root: Node | null, path: Path): Node | null {
  let node: unknown = root;
  for (const key of path) {
    if (isMap(node)) node = pairIn(node, String(key))?.pair.value ?? null;
    else if (isSeq(node)) node = node.items[Number(key)] ?? null;
    else return null;
  }
  return isMap(node) || isSeq(node) || isScalar(node) ? node : null;
}

/** Whether nothing is written there, as behind `goal:`. */
export function isNothing(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null && (node.source ?? "") === "");
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Behind the last character that says something; a line's end, comments and blank lines are not part of it. */
export function endOf(text: string, node: Node): number {
  if (isMap(node) && node.flow !== true) {
    const last = pairsOf(node).at(-1);
    return last === undefined ? startOf(node) : endOfPair(text, last);
  }
  if (isSeq(node) && node.flow !== true) {
    const last = node.items.findLast(
      (each): each is Node => isMap(each) || isSeq(each) || isScalar(each),
    );
    return last === undefined ? startOf(node) : endOf(text, last);
  }
  const start = startOf(node);
  return start + lengthWithoutSpace(text.slice(start, node.range?.[1] ?? start));
}

/** Without the white space of YAML at its end; other characters that look like it are part of a value. */
export function lengthWithoutSpace(text: string): number {
  return text.replace(/[ \t\r\n]+$/, "").length;
}

export function endOfPair(text: string, { key, value }: YamlPair): number {
  if (value !== null && !isNothing(value)) return endOf(text, value);
  const colon = text.indexOf(":", key.range?.[1] ?? 0);
  return colon < 0 ? (key.range?.[1] ?? 0) : colon + 1;
}

export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Before the line's end. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" && end - 1 >= offset ? end - 1 : end;
}

export function columnOf(text: string, offset: number): number {
  return offset - startOfLine(text, offset);
}

export function newLineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** All comments, in text order. What looks like one inside a value is none. */
export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  let isValue = false;
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith("#") && !isValue) comments.push(token.trimEnd());
    isValue = token === "\u001f";
  }
  return comments;
}
