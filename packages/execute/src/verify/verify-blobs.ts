import { decodeNode, sha256Hex } from "@uncaged/workflow-cas";
import {
  type CasNode,
  type Digests,
  failureFrom,
  ok,
  type Problem,
  type StartNode,
  type StateNode,
} from "@uncaged/workflow-protocol";
import { readAhead } from "../chain/read-ahead.ts";
import type { NodeReader } from "../chain/read-node.ts";
import { upgradeOf } from "../chain/upgrades.ts";

/** Blobs that are read together. */
const BATCH = 128;
/** The same for states of a chain, as a power of two. */
const AHEAD_JUMPS = 8;

/** Reads blobs for a proof, each once, and remembers what must hold between them. Every blob read adds the ones it
 *  refers to: after `finish`, everything that the nodes reach has been checked.
 *
 *  1. Every reference exists and is a node; the store re-hashes what it returns.
 *  2. Every digest in a start or state node matches the bytes it names, and each thing that the node directly depends
 *     on has one. */
export class BlobCheck {
  readonly problems: Problem[] = [];
  readonly #cas: NodeReader;
  readonly #read = new Map<string, string>();
  readonly #notContent = new Set<string>();
  /** Read, or found missing. */
  readonly #tried = new Set<string>();
  /** From hashes still to be read to the node that named them first. */
  readonly #open = new Map<string, string>();
  /** Blobs that were read before they were needed. */
  #ahead: Map<string, { text: string; node?: CasNode }> = new Map();
  /** `missing`: what it should vouch for and does not. */
  readonly #vouchers: { hash: string; digests: Digests; missing: readonly string[] }[] = [];
  readonly #contents: { hash: string; namedBy: string }[] = [];

  constructor(cas: NodeReader) {
    this.#cas = cas;
  }

  /** From each blob that was read to its SHA-256 (hex). */
  get digests(): ReadonlyMap<string, string> {
    return this.#read;
  }

  /** SHA-256 (hex) of a blob that was read. */
  sha256(hash: string): string | undefined {
    return this.#read.get(hash);
  }

  report(code: string, hash: string, message: string): void {
    this.problems.push({ code, hash, message });
  }

  /** A state of a chain, as `node`: those before it are read together with it. */
  async state(hash: string, namedBy: string): Promise<CasNode | null> {
    if (this.#ahead.size === 0) {
      const states = await readAhead(this.#cas, hash, AHEAD_JUMPS);
      this.#ahead = new Map(states.flatMap((state) => (state ? [[state.hash, state]] : [])));
    }
    return this.node(hash, namedBy);
  }

  /** null: it is missing, damaged, or not a node; that has been reported. */
  async node(hash: string, namedBy: string): Promise<CasNode | null> {
    const first = !this.#tried.has(hash);
    this.#tried.add(hash);
    this.#open.delete(hash);
    const known = this.#ahead.get(hash);
    this.#ahead.delete(hash);
    const text = known?.text ?? (await this.#text(hash, first ? namedBy : null));
    if (text === null) return null;
    const node = known?.node ? ok(known.node) : decodeNode(text);
    if (!node.ok) {
      if (first) this.report(node.error.code, hash, node.error.message);
      return null;
    }
    if (first) this.#note(hash, text, node.value);
    return node.value;
  }

  /** This reference must be a content node, whatever else it is. */
  mustBeContent(hash: string, namedBy: string): void {
    this.#contents.push({ hash, namedBy });
  }

  /** Reads everything that is left, then compares. */
  async finish(): Promise<void> {
    while (this.#open.size > 0) {
      const batch = this.#nextOpen();
      const texts = await this.#cas.getMany(batch.map(([hash]) => hash));
      this.#ahead = new Map([...texts].map(([hash, text]) => [hash, { text }]));
      for (const [hash, namedBy] of batch) await this.node(hash, namedBy);
    }
    for (const { hash, namedBy } of this.#contents) {
      if (!this.#notContent.has(hash)) continue;
      this.report("CHAIN_BROKEN", hash, `is not a content node, which ${namedBy} needs there`);
    }
    for (const { hash, digests, missing } of this.#vouchers) {
      for (const [named, digest] of Object.entries(digests)) {
        if ((this.sha256(named) ?? digest) === digest) continue;
        this.report("DIGEST_MISMATCH", named, `the digest of ${hash} is of other bytes`);
      }
      for (const ref of missing) this.report("DIGEST_MISSING", hash, `has no digest of ${ref}`);
    }
  }

  #nextOpen(): [hash: string, namedBy: string][] {
    const batch: [string, string][] = [];
    for (const open of this.#open) {
      if (batch.length === BATCH) break;
      batch.push(open);
    }
    return batch;
  }

  #note(hash: string, text: string, node: CasNode): void {
    this.#read.set(hash, sha256Hex(text));
    for (const ref of node.refs) {
      if (!this.#tried.has(ref) && !this.#open.has(ref)) this.#open.set(ref, hash);
    }
    if (node.type === "content") return;
    this.#notContent.add(hash);
    const { digests } = node.payload;
    const missing = directRefs(node).filter((ref) => !Object.hasOwn(digests, ref));
    this.#vouchers.push({ hash, digests, missing });
  }

  /** `namedBy` null: a failure was reported before. */
  async #text(hash: string, namedBy: string | null): Promise<string | null> {
    try {
      const text = await this.#cas.get(hash);
      if (text === null && namedBy !== null)
        this.report("CAS_MISSING", hash, `is named by ${namedBy} but not in the store`);
      return text;
    } catch (thrown) {
      const { code, message } = failureFrom(thrown, "CAS_CORRUPT");
      if (namedBy !== null) this.report(code, hash, message);
      return null;
    }
  }
}

/** What a node directly depends on: everything it refers to, except ancestors that its parent vouches for. */
function directRefs(node: StartNode | StateNode): string[] {
  if (node.type === "start") return [...node.refs, node.payload.hash];
  const upgrade = upgradeOf(node);
  const { start, ancestors } = node.payload;
  const [parent = start, ...older] = ancestors;
  const vouchedByParent = ancestors.length > 0 ? [...older, start] : [];
  const own = node.refs.filter((ref) => !vouchedByParent.includes(ref));
  return [parent, ...own, ...(upgrade === null ? [] : [upgrade.to])];
}
