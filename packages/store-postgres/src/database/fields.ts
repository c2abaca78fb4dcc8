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

export function bytesIn(row: unknown, name: string): Uint8Array {
  const value = fieldOf(row, name);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`column ${name} has no bytes`);
}

function fieldOf(row: unknown, name: string): unknown {
  return typeof row === "object" && row !== null ? Reflect.get(row, name) : undefined;
}
