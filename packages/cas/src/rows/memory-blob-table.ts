import type {
  BlobRow,
  BlobTable,
  BlobWrite,
  HeadMove,
  SignalKind,
} from "@uncaged/workflow-protocol";

/** `asideSinceMs`: Unix milliseconds; null: it is not quarantined. */
export type MemoryRow = { bytes: Uint8Array; asideSinceMs: number | null };

/** The port in memory, for tests. `advance` moves the heads that are written with rows. It lasts as long as `rows`,
 *  which tests may inspect and corrupt. */
export function memoryBlobTable(
  advance: (move: HeadMove) => Promise<readonly SignalKind[]>,
  rows: Map<string, MemoryRow> = new Map(),
): BlobTable {
  const change = (hashes: readonly string[], to: (row: MemoryRow) => MemoryRow): void => {
    for (const hash of hashes) {
      const row = rows.get(hash);
      if (row !== undefined) rows.set(hash, to(row));
    }
  };
  const stands = (hash: string): boolean => rows.get(hash)?.asideSinceMs === null;
  return {
    async write({ rows: written, replacing, move }): Promise<BlobWrite> {
      const damaged = new Map(replacing.map(({ hash, bytes }) => [hash, bytes]));
      const existing = written.flatMap((row) => differing(rows, row, damaged.get(row.hash)));
      if (existing.length > 0) return { kind: "differs", existing };
      // The head moves first, and nothing can come between it and the rows.
      const moved = move === null ? Promise.resolve([]) : advance(move);
      const before = new Map(written.map(({ hash }) => [hash, rows.get(hash)]));
      for (const { hash, bytes } of written) rows.set(hash, { bytes, asideSinceMs: null });
      try {
        return { kind: "written", signals: await moved };
      } catch (refused) {
        for (const [hash, row] of before) {
          if (row === undefined) rows.delete(hash);
          else rows.set(hash, row);
        }
        throw refused;
      }
    },
    async read(hash) {
      const row = rows.get(hash);
      return row === undefined ? null : { bytes: row.bytes, aside: row.asideSinceMs !== null };
    },
    async readMany(hashes) {
      return hashes.flatMap((hash) => {
        const row = rows.get(hash);
        return row?.asideSinceMs === null ? [{ hash, bytes: row.bytes }] : [];
      });
    },
    async delete(hash) {
      rows.delete(hash);
    },
    list: async () => [...rows.keys()].filter(stands).sort(),
    present: async (hashes) => hashes.filter(stands),
    async listAside() {
      return [...rows].flatMap(([hash, { asideSinceMs: sinceMs }]) =>
        sinceMs === null ? [] : [{ hash, sinceMs }],
      );
    },
    async quarantine(hashes, nowMs) {
      change(hashes, (row) => ({ ...row, asideSinceMs: row.asideSinceMs ?? nowMs }));
      return nowMs;
    },
    async restore(hashes) {
      change(hashes, (row) => ({ ...row, asideSinceMs: null }));
    },
    async purge(hashes, untilMs) {
      const ripe = hashes.filter((hash) => {
        const sinceMs = rows.get(hash)?.asideSinceMs ?? null;
        return sinceMs !== null && sinceMs <= untilMs;
      });
      for (const hash of ripe) rows.delete(hash);
      return ripe;
    },
    async shrink() {},
  };
}

/** The different bytes under a row's name, unless they are known to be damaged. */
function differing(
  rows: ReadonlyMap<string, MemoryRow>,
  row: BlobRow,
  damaged: Uint8Array | undefined,
): BlobRow[] {
  const existing = rows.get(row.hash)?.bytes ?? row.bytes;
  if (same(existing, row.bytes) || (damaged !== undefined && same(existing, damaged))) return [];
  return [{ hash: row.hash, bytes: existing }];
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
