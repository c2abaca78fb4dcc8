/** What every store of a storage root promises, for every kind: with the index in SQLite or in memory, blobs as files
 *  or rows, steps flushed or not. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type MemoryRow, memoryBlobTable, openRootStore } from "@uncaged/workflow-cas";
import {
  movableRootStoreCases,
  nodeStoreCases,
  type RootStoreHarness,
} from "@uncaged/workflow-cas/suite";
import type { BlobTable, StoreKind, ThreadStore } from "@uncaged/workflow-protocol";
import { memoryThreadStore, openIndex } from "@uncaged/workflow-store";
import { blobTableCases } from "@uncaged/workflow-store/suite";
import { afterEach, beforeEach, describe, test } from "vitest";

/** Longer than a test, so rows are written out only on request. */
const NEVER_MS = 2 ** 31 - 1;

type Damage = RootStoreHarness["damage"];
type Index = { threads: ThreadStore; blobs: BlobTable; damageRow: Damage };

const INDEXES: { readonly [name: string]: (root: string) => Promise<Index> } = {
  SQLite: async (root) => {
    const { threads, blobs } = await openIndex(root);
    return {
      threads,
      blobs,
      damageRow: async (hash, bytes) => {
        const row = await blobs.read(hash);
        const db = new DatabaseSync(join(root, "index.db"));
        db.prepare("UPDATE blobs SET bytes = ? WHERE bytes = ?").run(bytes, row?.bytes ?? null);
        db.close();
      },
    };
  },
  memory: async () => {
    const rows = new Map<string, MemoryRow>();
    const threads = memoryThreadStore();
    const blobs = memoryBlobTable((move) => threads.advance(move), rows);
    return {
      threads,
      blobs,
      damageRow: async (hash, bytes) => {
        rows.set(hash, { bytes, asideSinceMs: null });
      },
    };
  },
};

const KINDS: readonly StoreKind[] = ["files", "packed"];

let root = "";
let index: Index;
afterEach(async () => {
  await index.threads.close();
  rmSync(root, { recursive: true });
});

describe.each(Object.entries(INDEXES))("on an index in %s", (_name, open) => {
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "root-store-"));
    index = await open(root);
  });

  test.each(blobTableCases)("a table of blobs $name", ({ run }) => run(index));

  describe.each(KINDS)("a root of kind %s", (kind) => {
    const dir = () => join(root, "cas");
    const reopen = () =>
      openRootStore({
        dir: dir(),
        table: index.blobs,
        threads: index.threads,
        kind,
        quietMs: NEVER_MS,
      });
    /** Corrupts the blob wherever it is stored. */
    const damage: Damage = async (hash, bytes) => {
      const file = join(dir(), `${hash}.txt`);
      if (existsSync(file)) return writeFileSync(file, bytes);
      return index.damageRow(hash, bytes);
    };

    test.each(nodeStoreCases)("$name", ({ run }) => run({ store: reopen(), damage }));

    test.each(movableRootStoreCases)("$name", ({ run }) =>
      run({ store: reopen(), threads: index.threads, reopen, damage }),
    );
  });
});
