import { isDeepStrictEqual } from "node:util";
import type { CopiedRow, IndexTable, TableCopy } from "@uncaged/workflow-store";
import { differs } from "./copy-blobs.ts";
import type { Effect } from "./effect.ts";

/** The blobs' own, which have a port of their own. What was set aside by a garbage collection stays behind. */
const OF_BLOBS: ReadonlySet<string> = new Set(["asideBlobs", "blobs"]);

export function copiedTables(tables: readonly IndexTable[]): IndexTable[] {
  return tables.filter(({ name }) => !OF_BLOBS.has(name));
}

/** Rows may have changed since an interrupted copy, and there are few beside the blobs: so each table is begun anew. */
export async function copyTables(
  from: TableCopy,
  to: TableCopy,
  {
    tables,
    effect,
    progress,
  }: {
    tables: readonly IndexTable[];
    effect: Effect;
    progress: (done: number, total: number) => void;
  },
): Promise<void> {
  for (const [at, table] of tables.entries()) {
    await effect(`empty ${table.name}`);
    await to.empty(table);
    for await (const rows of pagesOf(from, table)) {
      await effect(`copy ${table.name}`);
      await to.add(table, rows);
    }
    progress(at + 1, tables.length);
  }
}

/** Compares every value. Returns how many rows there are. Throws `STORAGE_FAILED` when they differ. */
export async function compareTables(
  from: TableCopy,
  to: TableCopy,
  tables: readonly IndexTable[],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    let count = 0;
    const copies = pagesOf(to, table);
    for await (const rows of pagesOf(from, table)) {
      count += rows.length;
      const { value } = await copies.next();
      if (!isDeepStrictEqual(rows, value)) throw differs(`table ${table.name}`);
    }
    if (!(await copies.next()).done) throw differs(`table ${table.name}`);
    counts[table.name] = count;
  }
  return counts;
}

/** All rows, a page at a time. */
export async function* pagesOf(
  copy: TableCopy,
  table: IndexTable,
): AsyncGenerator<readonly CopiedRow[], void> {
  let rows = await copy.page(table, null);
  while (rows.length > 0) {
    yield rows;
    rows = await copy.page(table, rows.at(-1) ?? null);
  }
}
