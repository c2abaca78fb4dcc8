/** What every store of a storage root promises, for one in PostgreSQL: long blobs as rows, and as objects. */
import { memoryBigBlobs, openRootStore } from "@uncaged/workflow-cas";
import { nodeStoreCases, rootStoreCases } from "@uncaged/workflow-cas/suite";
import type { BigBlobs } from "@uncaged/workflow-protocol";
import type { Index } from "@uncaged/workflow-store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "../database/database.ts";
import { testRoot } from "../testing/test-root.ts";
import { openPostgresIndex } from "./open-index.ts";

let index: Index;
let database: Database;
beforeAll(async () => {
  const at = await testRoot();
  index = await openPostgresIndex(at);
  database = await openDatabase(at);
});
afterAll(async () => {
  await index.threads.close();
  await database.close();
});

const statement = (text: string, values: readonly unknown[] = []) =>
  database.query("test", { text, values });
let big: BigBlobs;
beforeEach(async () => {
  big = memoryBigBlobs();
  const { rows } = await statement(
    "SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables WHERE schemaname = $1 AND tablename <> 'migrations'",
    [database.schema],
  );
  const [row] = rows;
  await statement(`TRUNCATE ${Reflect.get(Object(row), "names")}`);
});

describe.each(["rows", "objects"])("long blobs are %s", (kind) => {
  const reopen = () =>
    openRootStore({
      // Of no use in such a root: nothing is ever there.
      dir: "/nowhere/cas",
      table: index.blobs,
      threads: index.threads,
      kind: "packed",
      long: kind === "rows" ? "rows" : big,
    });
  const damage = async (hash: string, bytes: Buffer): Promise<void> => {
    const row = await index.blobs.read(hash);
    await statement("UPDATE blobs SET bytes = $1 WHERE bytes = $2", [bytes, row?.bytes]);
  };

  test.each(nodeStoreCases)("$name", ({ run }) => run({ store: reopen(), damage }));

  test.each(rootStoreCases)("$name", ({ run }) =>
    run({ store: reopen(), threads: index.threads, reopen, damage }),
  );

  test("a long text is stored, read, checked and collected", async () => {
    const store = reopen();
    const text = "long ".repeat(100_000);
    const hash = await store.put(text);
    expect(await store.get(hash)).toContain(text);
    expect(await store.check([])).toMatchObject({ ok: true, checked: 1 });
    const copies = [];
    for await (const copy of big.list(Date.now() + 1000)) copies.push(copy.hash);
    expect(copies).toEqual(kind === "rows" ? [] : [hash]);
    await expect(store.move("files")).rejects.toMatchObject({ failure: { code: "USAGE" } });
  });
});
