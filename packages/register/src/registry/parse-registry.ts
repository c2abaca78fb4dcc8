/** Parses `workflow.yaml`: text in, typed registry out, or a failure that names line and column. Loads the YAML
 *  parser, so commands that need no registry must not import this module. */
import {
  type BundleVersion,
  err,
  type Failure,
  failure,
  HASH_PATTERN,
  ok,
  type RegistryEntry,
  type Result,
  WORKFLOW_NAME_PATTERN,
} from "@uncaged/workflow-protocol";
import { type Document, isAlias, isNode, LineCounter, parseDocument, visit } from "yaml";
import { parseSettings } from "./parse-settings.ts";
import type { Registry, RegistryFile } from "./registry.ts";
import { list, mapping, matching, ParseError, type Path, wholeNumber } from "./shape.ts";

/** `place` is the file's name in messages. An empty text is an empty registry. */
export function parseRegistry(text: string, place: string): Result<RegistryFile, Failure> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined)
    return err(invalid(place, broken.linePos?.[0], broken.message.split(/ at line \d/)[0] ?? ""));
  try {
    return ok({ text, registry: registryOf(document) });
  } catch (thrown) {
    if (!(thrown instanceof ParseError)) throw thrown;
    const problem = `${thrown.path.join(".") || "the file"} ${thrown.message}`;
    return err(invalid(place, positionOf(document, thrown.path, lines), problem));
  }
}

function registryOf(document: Document.Parsed): Registry {
  const file = new Map(mapping(plainValue(document), []));
  refuseSharedNodes(document);
  const workflows = mapping(file.get("workflows"), ["workflows"]).map(
    ([name, entry]) => [checkedName(name), parseEntry(entry, ["workflows", name])] as const,
  );
  return { workflows: new Map(workflows), settings: parseSettings(file.get("config")) };
}

/** Throws `ParseError` for what YAML allows but no value can represent, such as an alias that names nothing. */
function plainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw new ParseError(
      [],
      `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** Two names sharing one node would change together, whichever of them is meant. */
function refuseSharedNodes(document: Document.Parsed): void {
  const workflows = document.get("workflows", true);
  if (!isNode(workflows)) return;
  visit(workflows, {
    Node(_, node) {
      const shared = isAlias(node) || (node.anchor !== undefined && node.anchor !== "");
      if (shared) throw new ParseError(["workflows"], "may not contain anchors or aliases");
    },
  });
}

function checkedName(name: string): string {
  if (WORKFLOW_NAME_PATTERN.test(name)) return name;
  throw new ParseError(
    ["workflows", name],
    "is not a workflow name: lower-case letters, digits, . _ and - only",
  );
}

function parseEntry(value: unknown, path: Path): RegistryEntry {
  const history = new Map(mapping(value, path)).get("history");
  return {
    ...parseVersion(value, path),
    history: list(history, [...path, "history"]).map((item, index) =>
      parseVersion(item, [...path, "history", index]),
    ),
  };
}

function parseVersion(value: unknown, path: Path): BundleVersion {
  const version = new Map(mapping(value, path));
  return {
    hash: matching(version.get("hash"), [...path, "hash"], {
      pattern: HASH_PATTERN,
      means: "a hash in quotes: 13 characters of Crockford base32",
    }),
    sha256: matching(version.get("sha256"), [...path, "sha256"], {
      pattern: /^[0-9a-f]{64}$/,
      means: "a SHA-256 in quotes: 64 lower-case hexadecimal digits",
    }),
    timestamp: wholeNumber(version.get("timestamp"), [...path, "timestamp"]),
  };
}

type Position = { line: number; col: number };

/** The value's position; for a missing value, that of the mapping that should contain it. */
function positionOf(
  document: Document.Parsed,
  path: Path,
  lines: LineCounter,
): Position | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown =
      length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]);
  }
  return undefined;
}

function invalid(place: string, position: Position | undefined, problem: string): Failure {
  const where = position === undefined ? place : `${place}:${position.line}:${position.col}`;
  return failure(
    "CONFIG_INVALID",
    `${where}: ${problem}`,
    "correct that line by hand; nothing was changed",
  );
}
