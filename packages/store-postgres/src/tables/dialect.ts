/** The statements of the operations in the words of PostgreSQL. */
import { COLUMNS, type ValueType } from "./schema.ts";

export type Translated = {
  text: string;
  /** The names of the values, by position. */
  names: readonly string[];
  /** The columns of the answer under the names that the statement uses: PostgreSQL writes them small. */
  columns: ReadonlyMap<string, string>;
};

const kept = new Map<string, Translated>();

export function translated(text: string): Translated {
  const known = kept.get(text) ?? translate(text);
  kept.set(text, known);
  return known;
}

function translate(text: string): Translated {
  const names: string[] = [];
  const placed = withParameters(text, (name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${typeOf(name)}`;
  });
  const words = [...COLUMNS.keys(), ...(text.match(/\w+/g) ?? [])];
  const columns = new Map(words.map((word) => [word.toLowerCase(), word]));
  return { text: placed, names, columns };
}

/** Replaces the places of values; `parameter` returns what stands for a name. */
export function withParameters(text: string, parameter: (name: string) => string): string {
  return text.replaceAll(PARAMETER, (_, name: string) => parameter(name)).replaceAll(FIELD, TAKEN);
}

// The texts are ours: a colon always begins a name.
const PARAMETER = /:([a-zA-Z]\w*)/g;
const FIELD = /([\w.]+) ->> /g;
const TAKEN = "as_json($1) ->> ";

export function typeOf(name: string): ValueType {
  return COUNTS.has(name) ? "bigint" : (COLUMNS.get(name) ?? "text");
}

/** Parameters that are named like no column. */
const COUNTS: ReadonlySet<string> = new Set([
  "after",
  "afterMs",
  "before",
  "blob",
  "dueBy",
  "expectedAt",
  "expiresAt",
  "kept",
  "limit",
  "nowMs",
  "oldMs",
  "pid",
  "pieceMs",
  "replaces",
]);

/** Two functions of SQLite that the statements use. JSON texts may name a NUL, which no text of PostgreSQL can have. */
export const FUNCTIONS = `
CREATE OR REPLACE FUNCTION as_json(stored text) RETURNS json LANGUAGE sql IMMUTABLE
  AS $$ SELECT replace(stored, '\\u0000', '\\u0001')::json $$;
CREATE OR REPLACE FUNCTION json_each(list text) RETURNS TABLE (key bigint, value text)
  LANGUAGE sql IMMUTABLE AS $$
  SELECT place - 1, each FROM json_array_elements_text(as_json(list)) WITH ORDINALITY AS _ (each, place) $$;
CREATE OR REPLACE FUNCTION instr(words text, word text) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT strpos(words, word) $$;
`;
