/** Readers for values from a YAML file. Each returns the typed value or throws a `ParseError` that knows the place;
 *  `parseRegistry` catches it and turns the place into a line and a column. */

export type Path = readonly (string | number)[];

/** A value that the file's format does not allow. Never leaves the parser. */
export class ParseError extends Error {
  readonly path: Path;

  constructor(path: Path, problem: string) {
    super(problem);
    this.path = path;
  }
}

/** The entries of a mapping; nothing (a key without a value) counts as an empty mapping. */
export function mapping(value: unknown, path: Path): [key: string, value: unknown][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || Array.isArray(value))
    throw new ParseError(path, "must be a mapping");
  return Object.entries(value);
}

/** The items of a list; nothing counts as an empty list. */
export function list(value: unknown, path: Path): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ParseError(path, "must be a list");
  return value;
}

export function text(value: unknown, path: Path): string {
  if (value === undefined) throw new ParseError(path, "is missing");
  if (typeof value !== "string" || value === "") throw new ParseError(path, "must be a text");
  return value;
}

export function matching(
  value: unknown,
  path: Path,
  expected: { pattern: RegExp; means: string },
): string {
  const found = text(value, path);
  if (!expected.pattern.test(found)) throw new ParseError(path, `must be ${expected.means}`);
  return found;
}

export function wholeNumber(value: unknown, path: Path): number {
  if (value === undefined) throw new ParseError(path, "is missing");
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ParseError(path, "must be a whole number, 0 or more");
}
