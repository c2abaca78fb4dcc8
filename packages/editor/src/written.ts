/** New values as YAML, in the ways in which a person might write them, the plainest first. */
import type { JsonValue } from "@uncaged/workflow-protocol";
import { Document, isCollection, isScalar } from "yaml";

/** Longer collections are written on lines of their own. */
const MAX_FLOW = 88;

/** On one line; for places between brackets too. */
export function inline(value: JsonValue): string[] {
  if (typeof value === "string") return [plain(value), quoted(value)];
  return [flow(value), flow(value, quoted)];
}

/** What stands behind `key:`, from its space or line end on. `column`: of the key. */
export function below(value: JsonValue, { column, newLine }: Place): string[] {
  if (typeof value === "string") return textBelow(value, { column, newLine });
  const short = flow(value);
  const isShort = short.length <= MAX_FLOW && !short.includes("\n");
  if (typeof value !== "object" || value === null || isShort) {
    return [` ${short}`, ` ${flow(value, quoted)}`];
  }
  const lines = block(value);
  const indent = " ".repeat(column + 2);
  const inLines = lines.map((line) => (line === "" ? "" : indent + line)).join(newLine);
  return [`${newLine}${inLines}`, ` ${flow(value)}`, ` ${flow(value, quoted)}`];
}

type Place = { column: number; newLine: string };

function textBelow(value: string, place: Place): string[] {
  if (isOdd(value)) return [` ${quoted(value)}`];
  const literal = value.includes("\n") ? [` ${literalOf(value, place)}`] : [` ${plain(value)}`];
  return [...literal, ` ${quoted(value)}`];
}

/** `|`, with its lines indented below. */
function literalOf(value: string, { column, newLine }: Place): string {
  const body = value.replace(/\n+$/, "");
  const ends = value.length - body.length;
  const chomp = ends === 0 ? "-" : ends === 1 ? "" : "+";
  const indent = " ".repeat(column + 2);
  const lines = `${body}${"\n".repeat(Math.max(0, ends - 1))}`.split("\n");
  return [`|${chomp}`, ...lines.map((line) => (line === "" ? "" : indent + line))].join(newLine);
}

/** Without quotes, if it can be; what it means is read back by the caller. */
function plain(value: string): string {
  const text = isOdd(value) ? "\n" : scalar(value);
  return text.includes("\n") ? quoted(value) : text;
}

function quoted(value: string): string {
  // What a reader of YAML would refuse, or take for a line's end.
  return JSON.stringify(value).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function flow(value: JsonValue, text: (value: string) => string = plain): string {
  if (Array.isArray(value)) return `[${value.map((each) => flow(each, text)).join(", ")}]`;
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${text(key)}: ${flow(each, text)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** As it may stand between brackets. */
function scalar(value: string): string {
  const document = new Document([value]);
  if (isCollection(document.contents)) document.contents.flow = true;
  return document.toString({ lineWidth: 0 }).trim().slice(1, -1).trim();
}

/** Small parts on one line each. */
function block(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.map((each) => `- ${flow(each)}`);
  if (typeof value !== "object" || value === null) return [flow(value)];
  return Object.entries(value).flatMap(([key, each]) => {
    if (typeof each === "string" && each.includes("\n")) {
      const [head = "", ...lines] = literalOf(each, { column: 0, newLine: "\n" }).split("\n");
      return [`${plain(key)}: ${head}`, ...lines];
    }
    const short = flow(each);
    if (short.length <= MAX_FLOW - 20 || isEmpty(each)) return [`${plain(key)}: ${short}`];
    return [`${plain(key)}:`, ...block(each).map((line) => `  ${line}`)];
  });
}

function isEmpty(value: JsonValue): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** Whether the node and all in it is on one line or between brackets. */
export function isInline(node: unknown): boolean {
  if (isScalar(node)) return node.type !== "BLOCK_LITERAL" && node.type !== "BLOCK_FOLDED";
  return isCollection(node) && node.flow === true;
}

/** What nobody sees in a text, or sees as something else: it is written as an escape. */
export function isOdd(value: string): boolean {
  return /[^\P{C}\n\t]|[\u00a0\u2028\u2029]/u.test(value);
}
