import type { SignalKind } from "./thread-record.ts";
import type { HeadMove } from "./thread-store.ts";

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

  /** Those of them that stand in the table, not aside. Changes nothing. */
  standing(hashes: readonly string[]): Promise<string[]>;

  /** Those aside, and since when (Unix milliseconds). */
  listAside(): Promise<{ hash: string; sinceMs: number }[]>;
  /** Sets rows aside; those that lie there already keep their time. `nowMs`: the caller's clock at this call. Noted
   *  is when a row was moved, by that clock: whoever saw it in place did so before. Returns the latest such time. */
  quarantine(hashes: readonly string[], nowMs: number): Promise<number>;
  restore(hashes: readonly string[]): Promise<void>;
  /** Deletes for good those that still lie aside, and have since `untilMs` or longer. Returns which. */
  purge(hashes: readonly string[], untilMs: number): Promise<string[]>;

  /** Returns the room of deleted rows to the disk. Takes as long as copying the file. */
  shrink(): Promise<void>;
};
