import type { HeadMove, SignalKind } from "./thread-store.ts";

/** Bytes under a name. */
export type BlobRow = { readonly hash: string; readonly bytes: Uint8Array };

/** What became of a write. `differs`: other bytes stand under these names, and nothing was changed. */
export type BlobWrite =
  | { kind: "written"; signals: readonly SignalKind[] }
  | { kind: "differs"; standing: readonly BlobRow[] };

/** Blobs as rows of a storage root's index, so that a step and the head that names it become durable
 *  in one transaction. It keeps bytes and knows nothing of what they mean: hashes are checked by the
 *  store on top of it.
 *
 *  1. Every change is one durable transaction: it happens whole or throws `STORAGE_FAILED`.
 *  2. A row is never overwritten by chance: other bytes under its name are given back, and replaced
 *     only by a writer who names them.
 *  3. A row that a garbage collection set aside is not listed, but can be read. Writing the same
 *     bytes brings it back. */
export type BlobTable = {
  /** Stores rows, and moves a head with them when `move` is one. `replacing`: bytes that this write
   *  may overwrite, because its caller found them damaged.
   *  Throws what `ThreadStore.advance` throws; nothing is stored then. */
  write(write: {
    rows: readonly BlobRow[];
    replacing: readonly BlobRow[];
    move: HeadMove | null;
  }): Promise<BlobWrite>;
  /** Changes nothing. Also what lies aside. */
  read(hash: string): Promise<{ bytes: Uint8Array; aside: boolean } | null>;
  /** Those of them that stand in the table, not aside, in no particular order. Changes nothing. */
  readMany(hashes: readonly string[]): Promise<BlobRow[]>;
  delete(hash: string): Promise<void>;
  /** Sorted, without those aside. */
  list(): Promise<string[]>;

  /** Those aside, and since when (Unix milliseconds). */
  listAside(): Promise<{ hash: string; sinceMs: number }[]>;
  /** `now` is asked while nobody else writes: whoever saw a row in place did so before. */
  setAside(hashes: readonly string[], now: () => number): Promise<void>;
  bringBack(hashes: readonly string[]): Promise<void>;
  /** Deletes for good those that still lie aside, and have since `untilMs` or longer. */
  purge(hashes: readonly string[], untilMs: number): Promise<void>;

  /** Runs a short synchronous section while nobody else writes to the index. What it removed is gone
   *  when this resolves, unless the section threw. */
  exclusively<T>(section: (rows: HeldRows) => T): Promise<T>;
  /** Gives the room of deleted rows back to the disk. Takes as long as copying the file. */
  shrink(): Promise<void>;
};

/** The rows, while nobody else can change them. */
export type HeldRows = {
  /** Whether it stands in the table, not aside. */
  has(hash: string): boolean;
  remove(hash: string): void;
};
