/** Changes of single places of a text.
 *
 *  1. Only the characters that a change is about are touched; the text is never printed anew.
 *  2. Each change is read back: the new text has to mean exactly what was asked for, and has all comments that did not
 *     stand inside what was removed. A plain way to write it that does not pass is followed by a safer one, in the end
 *     by a quoted text; if none passes, nothing is changed. */
import {
  err,
  type Failure,
  failure,
  type JsonValue,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import {
  columnOf,
  commentsIn,
  type Doc,
  endOf,
  endOfLine,
  endOfPair,
  isNothing,
  lengthWithoutSpace,
  newLineOf,
  nodeAt,
  pairIn,
  pairsOf,
  readDocument,
  startOf,
  startOfLine,
  type YamlPair,
} from "./document.ts";
import { applied, composed, type Edit, type Splice } from "./edit.ts";
import { isFields, isList, isSame, type Path, type Tree, treeAt, treeFrom } from "./tree.ts";
import { below, inline, isInline, isOdd } from "./written.ts";

export type Step =
  /** Puts a value in place of another, or a new key behind the others of its mapping. */
  | { kind: "set"; path: Path; value: JsonValue }
  /** Puts an item before the one that has this place in the list, or behind the last. */
  | { kind: "insert"; path: Path; at: number; value: JsonValue }
  | { kind: "remove"; path: Path }
  /** The key at the path's end. */
  | { kind: "rename"; path: Path; to: string };

/** All steps as one edit of the text, each with its places in the text as the step before left it. */
export function changed(text: string, steps: readonly Step[]): Result<Edit, Failure> {
  const start = readDocument(text);
  if (!start.ok) return start;
  const together = isSteady(steps) ? allAtOnce(start.value, steps) : null;
  if (together !== null) return ok(together);
  let doc = start.value;
  let edit: Edit = [];
  for (const step of steps) {
    const way = oneStep(doc, step);
    if (way === null) return err(unwritable(step));
    edit = composed(edit, way.edit);
    doc = way.doc;
  }
  return ok(edit);
}

function unwritable({ path }: Step): Failure {
  return failure(
    "YAML_INVALID",
    `${path.join(".")} is written in a way that cannot be changed here without losing something`,
    "change it in the text",
  );
}

type Way = { doc: Doc; edit: Edit };

function oneStep(doc: Doc, step: Step): Way | null {
  const expected = stepped(doc.tree, step, 0);
  if (expected === undefined) return null;
  for (const edit of waysTo(doc, step)) {
    const way = checkedWay(doc, edit, expected);
    if (way !== null) return way;
  }
  return null;
}

/** Many small changes that do not move each other: one parse in place of many. */
function allAtOnce(doc: Doc, steps: readonly Step[]): Edit | null {
  let expected: Tree | undefined = doc.tree;
  const splices: Splice[] = [];
  for (const step of steps) {
    if (expected !== undefined) expected = stepped(expected, step, 0);
    const [first] = waysTo(doc, step);
    if (first === undefined) return null;
    splices.push(...first);
  }
  if (expected === undefined) return null;
  const sorted = splices.sort((a, b) => a.from - b.from);
  const isApart = sorted.every(({ from }, at) => from >= (sorted[at - 1]?.to ?? 0));
  return isApart ? (checkedWay(doc, sorted, expected)?.edit ?? null) : null;
}

/** Existing values first, then keys. */
function isSteady(steps: readonly Step[]): boolean {
  const names = steps.map(({ kind }) => kind);
  const firstRename = names.indexOf("rename");
  const sets = firstRename < 0 ? names : names.slice(0, firstRename);
  const renames = firstRename < 0 ? [] : steps.slice(firstRename);
  return (
    steps.length > 1 &&
    sets.every((name) => name === "set") &&
    // A key below a renamed one would have another path.
    renames.every(
      (step) =>
        step.kind === "rename" &&
        renames.every((other) => other === step || !isBelow(other.path, step.path)),
    )
  );
}

function isBelow(path: Path, above: Path): boolean {
  return path.length > above.length && above.every((key, at) => key === path[at]);
}

function checkedWay(doc: Doc, edit: Edit, expected: Tree): Way | null {
  const text = applied(doc.text, edit);
  const read = readDocument(text);
  if (!read.ok || !isSame(read.value.tree, expected)) return null;
  return keepsComments(doc.text, edit, text) ? { doc: read.value, edit } : null;
}

/** Those that stood inside what was removed, from one line end to another, may go. */
function keepsComments(before: string, edit: Edit, after: string): boolean {
  const left = commentsIn(after);
  const gone = edit.flatMap(({ from, to, insert }) =>
    insert === "" && before.slice(from, to).includes("\n") ? [before.slice(from, to)] : [],
  );
  for (const comment of commentsIn(before)) {
    const at = left.indexOf(comment);
    if (at >= 0) left.splice(at, 1);
    else if (!gone.some((part) => part.includes(comment))) return false;
  }
  return left.length === 0;
}

/** What the text has to mean after a step; undefined: there is no such place. */
function stepped(tree: Tree, step: Step, depth: number): Tree | undefined {
  const { path } = step;
  const key = path[depth];
  if (depth === path.length) {
    if (step.kind === "set") return treeFrom(step.value);
    if (step.kind !== "insert") return undefined;
    const list = tree === null ? [] : tree;
    return isList(list) ? list.toSpliced(step.at, 0, treeFrom(step.value)) : undefined;
  }
  const isLast = depth === path.length - 1;
  if (typeof key === "number") {
    if (!isList(tree) || !(key in tree)) return undefined;
    if (isLast && step.kind === "remove") return tree.toSpliced(key, 1);
    const inner = stepped(tree[key] ?? null, step, depth + 1);
    return inner === undefined ? undefined : tree.with(key, inner);
  }
  if (key === undefined) return undefined;
  const fields = tree === null ? new Map<string, Tree>() : tree;
  if (!isFields(fields)) return undefined;
  if (isLast && step.kind !== "set" && step.kind !== "insert") {
    if (!fields.has(key)) return undefined;
    return new Map(
      [...fields].flatMap(([name, value]): [string, Tree][] =>
        name !== key ? [[name, value]] : step.kind === "rename" ? [[step.to, value]] : [],
      ),
    );
  }
  if (!isLast && !fields.has(key) && step.kind !== "set" && step.kind !== "insert") {
    return undefined;
  }
  const inner = stepped(fields.get(key) ?? null, step, depth + 1);
  return inner === undefined ? undefined : new Map([...fields, [key, inner]]);
}

function waysTo(doc: Doc, step: Step): Edit[] {
  switch (step.kind) {
    case "set":
      return waysToSet(doc, step.path, step.value);
    case "insert":
      return waysToInsert(doc, step);
    case "remove":
      return waysToRemove(doc, step.path);
    case "rename":
      return waysToRename(doc, step.path, step.to);
  }
}

function waysToRename({ root }: Doc, path: Path, to: string): Edit[] {
  const parent = nodeAt(root, path.slice(0, -1));
  const found = isMap(parent) ? pairIn(parent, String(path.at(-1))) : null;
  if (found === null) return [];
  const { key } = found.pair;
  const [from, end] = [key.range?.[0] ?? 0, key.range?.[1] ?? 0];
  return inline(to).map((insert) => [{ from, to: end, insert }]);
}

function waysToSet(doc: Doc, path: Path, value: JsonValue): Edit[] {
  const { root, text } = doc;
  // What is missing on the way there is made with it.
  let there = path.length;
  while (there > 0 && !hasPlace(doc, path.slice(0, there))) there -= 1;
  const whole = path
    .slice(there + 1)
    .reduceRight<JsonValue>((inner, key) => ({ [String(key)]: inner }), value);
  if (there < path.length) {
    const parent = nodeAt(root, path.slice(0, there));
    const key = String(path[there]);
    if (there === 0 && root === null) {
      return [
        [{ from: text.length, to: text.length, insert: `${key}:${below(whole, AT_START)[0]}` }],
      ];
    }
    if (isMap(parent)) return waysToAddPair(doc, parent, { key, value: whole });
    // `key:` with nothing behind it.
    return isNothing(parent) ? waysToReplace(doc, path.slice(0, there), { [key]: whole }) : [];
  }
  return waysToReplace(doc, path, value);
}

const AT_START = { column: 0, newLine: "\n" };

function hasPlace({ tree }: Doc, path: Path): boolean {
  return path.length === 0 || treeAt(tree, path) !== undefined;
}

function waysToReplace(doc: Doc, path: Path, value: JsonValue): Edit[] {
  const { root, text } = doc;
  const node = nodeAt(root, path);
  const key = path.at(-1);
  const parent = nodeAt(root, path.slice(0, -1));
  const pair = isMap(parent) ? pairIn(parent, String(key))?.pair : undefined;
  const written = node === null || isNothing(node) ? null : node;
  const inFlow = isBetweenBrackets(root, path);
  const ways: Edit[] = [];
  const replace = (from: number, to: number, insert: string): void => {
    ways.push([trimmed(text, { from, to, insert })]);
  };
  if (written !== null && isScalar(written) && typeof value === "string") {
    for (const insert of sameStyle(text, written, value)) {
      replace(startOf(written), endOf(text, written), insert);
    }
  }
  const afterColon = pair === undefined ? null : colonOf(text, pair) + 1;
  if (inFlow || pair === undefined || afterColon === null) {
    const from = written === null ? (afterColon ?? 0) : startOf(written);
    const to = written === null ? from : endOf(text, written);
    const space = written === null ? " " : "";
    if (inFlow || (written !== null && isInline(written))) {
      for (const insert of inline(value)) replace(from, to, space + insert);
    }
    return ways;
  }
  const column = columnOf(text, pair.key.range?.[0] ?? 0);
  const end = written === null ? afterColon : endOf(text, written);
  const [from, space] =
    written !== null && isInline(written) ? [startOf(written), ""] : [afterColon, " "];
  for (const insert of below(value, { column, newLine: newLineOf(text) })) {
    if (insert.startsWith(" ")) replace(from, end, space + insert.slice(1));
    else replace(afterColon, end, insert);
  }
  return ways;
}

function isBetweenBrackets(root: Node | null, path: Path): boolean {
  return path.some((_key, depth) => {
    const node = nodeAt(root, path.slice(0, depth));
    return (isMap(node) || isSeq(node)) && node.flow === true;
  });
}

function colonOf(text: string, { key, value }: YamlPair): number {
  const end = key.range?.[1] ?? 0;
  const limit = value?.range?.[0] ?? text.length;
  const colon = text.indexOf(":", end);
  return colon < 0 || colon > limit ? end - 1 : colon;
}

/** A text as the one before it was written. */
function sameStyle(text: string, old: Scalar, value: string): string[] {
  if (isOdd(value)) return [];
  const raw = text.slice(startOf(old), endOf(text, old));
  const before = typeof old.value === "string" ? old.value : null;
  if (before === null) return [];
  const ways: string[] = [];
  if (raw === before) ways.push(value);
  for (const quote of ['"', "'"]) {
    if (raw === `${quote}${before}${quote}`) ways.push(`${quote}${value}${quote}`);
  }
  const header = /^[|>][^\r\n]*\r?\n/.exec(raw)?.[0];
  if (header !== undefined && raw.startsWith("|")) {
    const indent = /^[ ]*/.exec(raw.slice(header.length).replace(/^\s*\n/, ""))?.[0] ?? "";
    const newLine = newLineOf(text);
    const lines = value.replace(/\n+$/, "").split("\n");
    ways.push(header + lines.map((line) => (line === "" ? "" : indent + line)).join(newLine));
  }
  return ways;
}

/** Without what is the same at both ends. */
function trimmed(text: string, { from, to, insert }: Splice): Splice {
  let start = 0;
  const old = text.slice(from, to);
  const most = Math.min(old.length, insert.length);
  while (start < most && old[start] === insert[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === insert[insert.length - 1 - end]) {
    end += 1;
  }
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}

function waysToAddPair(
  { text }: Doc,
  map: YAMLMap,
  { key, value }: { key: string; value: JsonValue },
): Edit[] {
  const pairs = pairsOf(map);
  const last = pairs.at(-1);
  if (map.flow === true || last === undefined) {
    const entries = inline(key).flatMap((name) => inline(value).map((each) => `${name}: ${each}`));
    if (last !== undefined)
      return entries.map((entry) => insertAt(endOfPair(text, last), `, ${entry}`));
    return entries.map((entry) => insertAt(startOf(map) + 1, `${spaceIn(text, map)}${entry}`));
  }
  const column = columnOf(text, last.key.range?.[0] ?? 0);
  const newLine = newLineOf(text);
  const gap = hasGaps(text, pairs) ? newLine : "";
  const [name = key] = inline(key);
  return below(value, { column, newLine }).flatMap((each) =>
    afterLines(text, endOfPair(text, last), map).map((at) =>
      insertAt(at, `${newLine}${gap}${" ".repeat(column)}${name}:${each}`),
    ),
  );
}

function insertAt(at: number, insert: string): Edit {
  return [{ from: at, to: at, insert }];
}

/** Behind the line; behind the blank lines that belong to a text of several lines. */
function afterLines(text: string, end: number, node: Node): number[] {
  const first = endOfLine(text, end);
  const all = lengthWithoutSpace(text.slice(0, node.range?.[2] ?? first));
  return [...new Set([first, Math.max(first, endOfLine(text, all)), text.length])];
}

/** A blank line between the last two. */
function hasGaps(text: string, pairs: readonly YamlPair[]): boolean {
  const [before, last] = pairs.slice(-2);
  if (before === undefined || last === undefined) return false;
  const between = text.slice(endOfLine(text, endOfPair(text, before)), last.key.range?.[0] ?? 0);
  return /\n[ \t]*\r?\n/.test(between);
}

/** The space that an empty pair of brackets has inside. */
function spaceIn(text: string, node: Node): string {
  return text[startOf(node) + 1] === " " ? " " : "";
}

function waysToInsert(doc: Doc, { path, at, value }: Step & { kind: "insert" }): Edit[] {
  const { root, text } = doc;
  const list = nodeAt(root, path);
  if (!isSeq(list)) {
    return at === 0 && (list === null || isNothing(list)) ? waysToSet(doc, path, [value]) : [];
  }
  const items = list.items.filter((each): each is Node => isNode(each));
  const before = items[at - 1];
  const after = items[at];
  if (list.flow === true) {
    return inline(value).map((entry) => {
      if (before !== undefined) return insertAt(endOf(text, before), `, ${entry}`);
      if (after !== undefined) return insertAt(startOf(after), `${entry}, `);
      return insertAt(startOf(list) + 1, `${spaceIn(text, list)}${entry}`);
    });
  }
  const some = before ?? after;
  if (some === undefined) return [];
  const newLine = newLineOf(text);
  const dash = dashOf(text, some);
  const indent = " ".repeat(columnOf(text, dash));
  return inline(value).flatMap((entry) => {
    if (before === undefined) {
      return [insertAt(dash, `- ${entry}${newLine}${indent}`)];
    }
    return afterLines(text, endOf(text, before), before).map((place) =>
      insertAt(place, `${newLine}${indent}- ${entry}`),
    );
  });
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value);
}

/** Of a list's item on lines of its own. */
function dashOf(text: string, item: Node): number {
  return Math.max(0, text.lastIndexOf("-", startOf(item) - 1));
}

function waysToRemove({ root, text }: Doc, path: Path): Edit[] {
  const parent = nodeAt(root, path.slice(0, -1));
  const key = path.at(-1);
  if (isMap(parent)) {
    const found = pairIn(parent, String(key));
    if (found === null) return [];
    const pairs = pairsOf(parent);
    const spans = pairs.map((pair) => ({
      start: pair.key.range?.[0] ?? 0,
      end: endOfPair(text, pair),
    }));
    return removals(text, { spans, at: found.at, collection: parent });
  }
  if (!isSeq(parent) || typeof key !== "number") return [];
  const items = parent.items.filter((each): each is Node => isNode(each));
  const spans = items.map((item) => ({
    start: parent.flow === true ? startOf(item) : dashOf(text, item),
    end: endOf(text, item),
  }));
  return removals(text, { spans, at: key, collection: parent });
}

type Spans = readonly { start: number; end: number }[];

function removals(
  text: string,
  { spans, at, collection }: { spans: Spans; at: number; collection: YAMLMap | YAMLSeq },
): Edit[] {
  const span = spans[at];
  if (span === undefined) return [];
  const [before, after] = [spans[at - 1], spans[at + 1]];
  const cut = (from: number, to: number): Edit => [{ from, to, insert: "" }];
  if (collection.flow === true) {
    const comma = /^\s*,/.exec(text.slice(span.end))?.[0].length ?? 0;
    const alone = cut(span.start, span.end + comma);
    if (before !== undefined) return [cut(before.end, span.end), alone];
    if (after !== undefined) return [cut(span.start, after.start), alone];
    return [cut(startOf(collection) + 1, span.end), alone];
  }
  const start = startOfLine(text, span.start);
  // The first of a mapping in a list stands behind the dash.
  if (text.slice(start, span.start).trim() !== "") {
    return after === undefined ? [] : [cut(span.start, after.start)];
  }
  // Nothing would be left that says what it is.
  if (spans.length === 1) {
    const empty = isMap(collection) ? " {}" : " []";
    const lineBefore = lengthWithoutSpace(text.slice(0, start));
    return text[lineBefore - 1] === ":"
      ? [[{ from: lineBefore, to: endOfLine(text, span.end), insert: empty }]]
      : [[{ from: span.start, to: span.end, insert: empty.trim() }]];
  }
  const end = endOfLine(text, span.end);
  const ways: Edit[] = [];
  if (start > 0) {
    const lineEnd = start - (text[start - 2] === "\r" ? 2 : 1);
    const blank = /(?:\r?\n)[ \t]*$/.exec(text.slice(0, lineEnd));
    // The blank line between it and the one before goes with it.
    if (before !== undefined && blank !== null && blank.index >= before.end) {
      ways.push(cut(blank.index, end));
    }
    ways.push(cut(lineEnd, end));
  }
  ways.push(cut(start, Math.min(text.length, end + newLineOf(text).length)));
  return ways;
}
