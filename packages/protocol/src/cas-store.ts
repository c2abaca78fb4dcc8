/** The content-addressed store as bundles, adapters and commands see it.
 *
 *  1. `put` wraps the text in a `content` node, whatever it looks like, and resolves when the node
 *     is durable; putting the same text again has no effect.
 *  2. `get` returns a blob's exact text after hashing it again, and null when there is none.
 *     A blob that does not match its name throws `CAS_CORRUPT`; it is never returned.
 *  3. Different bytes under one hash are refused with `CAS_COLLISION`; nothing is overwritten. */
export type CasStore = {
  put(content: string): Promise<string>;
  get(hash: string): Promise<string | null>;
  delete(hash: string): Promise<void>;
  list(): Promise<string[]>;
};

/** A node's final bytes and their two names. Made by the codec of the cas package only. */
export type EncodedNode = {
  readonly hash: string;
  /** The blob, UTF-8 when stored. */
  readonly text: string;
  /** SHA-256 of the UTF-8 bytes, hex. */
  readonly sha256: string;
};

/** The store as the engine sees it: typed nodes, one step's worth at a time. */
export type NodeStore = CasStore & {
  /** Makes all nodes durable together, in as few flushes as the backend needs. Either all of
   *  them are stored when this resolves, or it throws and those already stored are garbage. */
  putBatch(nodes: readonly EncodedNode[]): Promise<void>;
  /** The exact texts of those of these blobs that are at hand and sound, hashed again: cheaper than reading many
   *  one by one. A blob that is left out may still be stored; `get` returns it, or says what is wrong with it. */
  getMany(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
};
