import type { SignalKind } from "./thread-record.ts";
import type { HeadMove } from "./thread-store.ts";

/** A blob's bytes with its name. */
export type BlobRow = { readonly hash: string; readonly bytes: Uint8Array };

/** What became of a write. `differs`: there are other bytes under these names, and nothing was changed. */
export type BlobWrite =
  | { kind: "written"; signals: readonly SignalKind[] }
  | { kind: "differs"; existing: readonly BlobRow[] };

/** Blobs as rows of a storage root's index, so that a step and the head that names it become durable
 *  in one transaction. It keeps bytes and knows nothing of what they mean: hashes are checked by the
 *  store on top of it.
 *
 *  1. Every change is one durable transaction: it happens whole or throws `STORAGE_FAILED`.
 *  2. A row is never overwritten by accident: other bytes under its name are returned, and replaced
 *     only by a writer that names them.
 *  3. A row that a garbage collection quarantined is not listed, but can be read. Writing the same
 *     bytes restores it. */
export type BlobTable = {
  /** Stores rows, and moves a head with them when `move` is one. `replacing`: bytes that this write
   *  may overwrite, because its caller found them damaged.
   *  Throws what `ThreadStore.advance` throws; nothing is stored then. */
  write(write: {
    rows: readonly BlobRow[];
    replacing: readonly BlobRow[];
    move: HeadMove | null;
  }): Promise<BlobWrite>;
  /** Also returns a quarantined row. Changes nothing. */
  read(hash: string): Promise<{ bytes: Uint8Array; aside: boolean } | null>;
  /** Those of the hashes that have a row which is not quarantined, in no particular order. Changes nothing. */
  readMany(hashes: readonly string[]): Promise<BlobRow[]>;
  delete(hash: string): Promise<void>;
  /** Sorted, without quarantined rows. */
  list(): Promise<string[]>;

  /** Those of the hashes that have a row which is not quarantined. Changes nothing. */
  present(hashes: readonly string[]): Promise<string[]>;

  /** The quarantined rows, and since when (Unix milliseconds). */
  listAside(): Promise<{ hash: string; sinceMs: number }[]>;
  /** Quarantines rows; those that already are keep their time. `nowMs`: the caller's clock at this call. The recorded
   *  time is when a row was moved, by that clock: whoever saw it in place did so before. Returns the latest such time. */
  quarantine(hashes: readonly string[], nowMs: number): Promise<number>;
  restore(hashes: readonly string[]): Promise<void>;
  /** Deletes for good those that are still quarantined, and have been since `untilMs` or longer. Returns which. */
  purge(hashes: readonly string[], untilMs: number): Promise<string[]>;

  /** Returns the space of deleted rows to the disk. Takes as long as copying the file. */
  shrink(): Promise<void>;
};
