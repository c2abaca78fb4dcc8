import type { IndexTable } from "../operations/copy-tables.ts";
import { MIGRATIONS } from "./migrations.ts";

/** The tables of an index of this version. SQLite itself is asked, with the migrations carried out: so none of their
 *  tables and columns can be missing here. */
export async function indexTables(): Promise<IndexTable[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(":memory:");
  try {
    for (const migration of MIGRATIONS) db.exec(migration);
    const tables = new Map<string, { columns: IndexTable["columns"][number][]; key: string[] }>();
    for (const row of db.prepare(COLUMNS).all()) {
      const name = String(row.tableName);
      const table = tables.get(name) ?? { columns: [], key: [] };
      tables.set(name, table);
      table.columns.push({ name: String(row.name), type: typeOf(row.type) });
      const place = Number(row.pk);
      if (place > 0) table.key[place - 1] = String(row.name);
    }
    return [...tables].map(([name, table]) => ({ name, ...table }));
  } finally {
    db.close();
  }
}

const COLUMNS = `
  SELECT t.name AS tableName, c.name, c.type, c.pk FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
  WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`;

function typeOf(type: unknown): IndexTable["columns"][number]["type"] {
  if (type === "INTEGER" || type === "TEXT" || type === "REAL" || type === "BLOB") return type;
  throw new TypeError(`an index has a column of type ${type}`);
}
