import { decodeNode, sha256Hex } from "@uncaged/workflow-cas";
import {
  type CasNode,
  type CasStore,
  type Digests,
  failureFrom,
  type Problem,
  type StartNode,
  type StateNode,
} from "@uncaged/workflow-protocol";
import { upgradeOf } from "./upgrades.ts";

/** Reads blobs for a proof, each once, and remembers what must hold between them. What is read leads to what is
 *  to be read: after `finish`, everything that the nodes reach has been looked at.
 *
 *  1. Every reference is there and is a node; the store hashes again what it gives.
 *  2. Every digest that a start or state node carries is that of the bytes it names, and it carries one of each
 *     thing that it directly depends on. */
export class BlobCheck {
  readonly problems: Problem[] = [];
  readonly #cas: Pick<CasStore, "get">;
  readonly #read = new Map<string, string>();
  readonly #notContent = new Set<string>();
  /** Read, or found missing. */
  readonly #tried = new Set<string>();
  readonly #open: { hash: string; namedBy: string }[] = [];
  readonly #vouchers: { hash: string; digests: Digests; needed: readonly string[] }[] = [];
  readonly #contents: { hash: string; namedBy: string }[] = [];

  constructor(cas: Pick<CasStore, "get">) {
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

  /** null: it is missing, damaged, or no node; that has been reported. */
  async node(hash: string, namedBy: string): Promise<CasNode | null> {
    const first = !this.#tried.has(hash);
    this.#tried.add(hash);
    const text = await this.#text(hash, first ? namedBy : null);
    if (text === null) return null;
    const node = decodeNode(text);
    if (!node.ok) {
      if (first) this.report(node.error.code, hash, node.error.message);
      return null;
    }
    if (first) this.#note(hash, text, node.value);
    return node.value;
  }

  /** Whatever else it is, this reference must be a content node. */
  mustBeContent(hash: string, namedBy: string): void {
    this.#contents.push({ hash, namedBy });
  }

  /** Reads all that is left to be read, then compares. */
  async finish(): Promise<void> {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      if (!this.#tried.has(next.hash)) await this.node(next.hash, next.namedBy);
    }
    for (const { hash, namedBy } of this.#contents) {
      if (!this.#notContent.has(hash)) continue;
      this.report("CHAIN_BROKEN", hash, `is no content node, which ${namedBy} needs there`);
    }
    for (const { hash, digests, needed } of this.#vouchers) {
      for (const [named, digest] of Object.entries(digests)) {
        if ((this.sha256(named) ?? digest) === digest) continue;
        this.report("DIGEST_MISMATCH", named, `${hash} vouches for other bytes`);
      }
      for (const ref of needed) {
        if (Object.hasOwn(digests, ref)) continue;
        this.report("DIGEST_MISSING", hash, `has no digest of ${ref}`);
      }
    }
  }

  #note(hash: string, text: string, node: CasNode): void {
    this.#read.set(hash, sha256Hex(text));
    for (const ref of node.refs) {
      if (!this.#tried.has(ref)) this.#open.push({ hash: ref, namedBy: hash });
    }
    if (node.type === "content") return;
    this.#notContent.add(hash);
    this.#vouchers.push({ hash, digests: node.payload.digests, needed: directRefs(node) });
  }

  /** `namedBy` null: a failure was reported before. */
  async #text(hash: string, namedBy: string | null): Promise<string | null> {
    try {
      const text = await this.#cas.get(hash);
      if (text === null && namedBy !== null)
        this.report("CAS_MISSING", hash, `is named by ${namedBy} and not in the store`);
      return text;
    } catch (thrown) {
      const { code, message } = failureFrom(thrown, "CAS_CORRUPT");
      if (namedBy !== null) this.report(code, hash, message);
      return null;
    }
  }
}

/** What a node directly depends on: all it refers to, except ancestors that its parent vouches for. */
function directRefs(node: StartNode | StateNode): string[] {
  if (node.type === "start") return [...node.refs, node.payload.hash];
  const upgrade = upgradeOf(node);
  const { start, ancestors } = node.payload;
  const [parent = start, ...older] = ancestors;
  const vouchedByParent = new Set([...older, ...(ancestors.length > 0 ? [start] : [])]);
  const own = node.refs.filter((ref) => !vouchedByParent.has(ref));
  return [parent, ...own, ...(upgrade === null ? [] : [upgrade.to])];
}
