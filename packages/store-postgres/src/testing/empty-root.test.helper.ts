import pg from "pg";

/** Deletes all rows of a root: that is quicker than making another one. */
export async function emptyRoot({ url, root }: { url: string; root: string }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // A few rows: TRUNCATE would make new files for every table.
    const { rows } = await client.query<{ text: string | null }>(
      `SELECT string_agg(format('DELETE FROM %I.%I', schemaname, tablename), ';') AS text FROM pg_tables
       WHERE schemaname = $1 AND tablename <> 'migrations'`,
      [`uncaged_${root}`],
    );
    await client.query(rows[0]?.text ?? "");
  } finally {
    await client.end();
  }
}
