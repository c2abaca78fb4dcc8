/** A column of a row, whose type its statement decides: anything else is a bug there. */
export function numberIn(row: unknown, name: string): number {
  const value = fieldOf(row, name);
  if (typeof value === "number") return value;
  throw new TypeError(`column ${name} is no number`);
}

export function textIn(row: unknown, name: string): string {
  const value = fieldOf(row, name);
  if (typeof value === "string") return value;
  throw new TypeError(`column ${name} is no text`);
}

function fieldOf(row: unknown, name: string): unknown {
  return typeof row === "object" && row !== null ? Reflect.get(row, name) : undefined;
}
