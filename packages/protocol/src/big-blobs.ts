/** One copy of a blob. No two calls of `put` return the same one, whatever they store: so a copy that its row no longer
 *  names is needed by nobody, and can be deleted while others store the same bytes. */
export type BigBlobCopy = {
  /** The blob's name. */
  readonly hash: string;
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string;
  /** Tells the copies of one blob apart. */
  readonly copy: string;
};

/** Blobs that are too long for a row, in a store of objects. It is shared with others, may be slow, away or damaged.
 *
 *  1. What is returned has the digest that was asked for. Other bytes throw `CAS_CORRUPT`.
 *  2. Every call ends: attempts are few, and each has a limit of time. Then it throws `STORAGE_FAILED`. */
export type BigBlobs = {
  /** Resolves when the copy is durable. */
  put(hash: string, sha256: string, bytes: Uint8Array): Promise<BigBlobCopy>;
  /** null: there is no such copy. */
  get(copy: BigBlobCopy): Promise<Uint8Array | null>;
  /** One that is not there is no error. */
  delete(copy: BigBlobCopy): Promise<void>;
  /** Those stored at this time or before, by the store's clock (Unix milliseconds), in no particular order. */
  list(untilMs: number): AsyncIterable<BigBlobCopy>;
};
