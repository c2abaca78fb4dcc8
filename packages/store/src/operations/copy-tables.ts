/** Copies tables of one index into another, whatever databases they are in: a page at a time, in the order of the key. */
import { allWide, change, changing, type Operation, type Perform, reading } from "./operation.ts";

/** A table as its database describes it. */
export type IndexTable = {
  name: string;
  columns: readonly { name: string; type: "INTEGER" | "TEXT" | "REAL" | "BLOB" }[];
  /** The names of the primary key's columns, in its order. */
  key: readonly string[];
};

/** The values of a row, in the order of the columns. */
export type CopiedRow = readonly (string | number | null)[];

/** Rows that are in memory at once, and in one transaction. */
const PAGE_ROWS = 500;
/** Values in one statement. SQLite takes 32,766. */
const MOST_VALUES = 2_000;

/** The rows of an index, as they are. `BLOB` columns cannot be copied: blobs have a port of their own. */
export type TableCopy = {
  /** The rows that come after one in the order of the key; null: the first. Empty at the end. */
  page(table: IndexTable, after: CopiedRow | null): Promise<readonly CopiedRow[]>;
  /** One transaction. */
  add(table: IndexTable, rows: readonly CopiedRow[]): Promise<void>;
  empty(table: IndexTable): Promise<void>;
  count(table: IndexTable): Promise<number>;
};

export function tableCopy(perform: Perform): TableCopy {
  return {
    page: (table, after) => perform(reading(`read ${table.name}`, () => pageOf(table, after))),
    add: (table, rows) => perform(changing(`copy ${table.name}`, () => addRows(table, rows))),
    empty: async (table) => {
      const text = `DELETE FROM ${table.name}`;
      await perform(changing(`empty ${table.name}`, () => change(text)));
    },
    count: (table) => perform(reading(`count ${table.name}`, () => countOf(table))),
  };
}

function* pageOf(table: IndexTable, after: CopiedRow | null): Operation<CopiedRow[]> {
  const { name, columns, key } = table;
  const named = columns.map((column) => column.name);
  const place = (each: string): number => named.indexOf(each);
  const values = Object.fromEntries(key.map((each) => [`k_${each}`, after?.[place(each)] ?? null]));
  const asked = key.map((each) => placeFor(`k_${each}`, columns[place(each)]?.type ?? "TEXT"));
  const from = after === null ? "" : `WHERE (${key.join(", ")}) > (${asked.join(", ")})`;
  const text = `SELECT ${named.join(", ")} FROM ${name} ${from} ORDER BY ${key.join(", ")} LIMIT ${PAGE_ROWS}`;
  const rows = yield* allWide(text, after === null ? {} : values);
  return rows.map((row) => copied(table, row));
}

function* addRows(table: IndexTable, rows: readonly CopiedRow[]): Operation<void> {
  // Two texts per table: a database keeps what it has compiled.
  const most = Math.max(1, Math.floor(MOST_VALUES / table.columns.length));
  for (let at = 0; at < rows.length; ) {
    const part = rows.length - at >= most ? rows.slice(at, at + most) : rows.slice(at, at + 1);
    yield* change(insertOf(table, part.length), valuesOf(table, part));
    at += part.length;
  }
}

function* countOf({ name }: IndexTable): Operation<number> {
  const [row] = yield* allWide(`SELECT count(*) FROM ${name}`);
  return Number(Array.isArray(row) ? row[0] : Number.NaN);
}

function insertOf({ name, columns }: IndexTable, rows: number): string {
  const names = columns.map((column) => column.name).join(", ");
  const tuples = Array.from({ length: rows }, (_, at) => {
    const values = columns.map((column) => placeFor(`v${at}_${column.name}`, column.type));
    return `(${values.join(", ")})`;
  });
  return `INSERT INTO ${name} (${names}) VALUES ${tuples.join(", ")}`;
}

function valuesOf({ columns }: IndexTable, rows: readonly CopiedRow[]) {
  return Object.fromEntries(
    rows.flatMap((row, at) =>
      columns.map(({ name }, column) => [`v${at}_${name}`, row[column] ?? null] as const),
    ),
  );
}

/** Both databases know these words: a value alone says nothing of its type to PostgreSQL. */
function placeFor(name: string, type: IndexTable["columns"][number]["type"]): string {
  const words = { INTEGER: "BIGINT", TEXT: "TEXT", REAL: "DOUBLE PRECISION", BLOB: "BYTEA" };
  return `CAST(:${name} AS ${words[type]})`;
}

function copied({ name, columns }: IndexTable, row: unknown): CopiedRow {
  if (!Array.isArray(row)) throw new TypeError(`a row of ${name} is no list`);
  return row.map((value, at) => {
    if (value === null || typeof value === "string" || typeof value === "number") return value;
    throw new TypeError(`column ${columns[at]?.name} of ${name} cannot be copied`);
  });
}
