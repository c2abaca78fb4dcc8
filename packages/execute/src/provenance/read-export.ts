/** An export as a source of threads: checked once from end to end, then read on demand.
 *
 *  1. Nothing is written, nothing in it runs, and no name in it becomes a path.
 *  2. Every byte counts: headers, padding and end are compared with what we would write, every entry with its checksum,
 *     every node with its hash and its canonical form.
 *  3. Later reads are compared with the checksum from the first pass. */
import { constants } from "node:buffer";
import { decodeNode, encodeNode, hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import {
  type EncodedNode,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { parseStoredDescriptor } from "@uncaged/workflow-register";
import { openTar, type TarFile } from "../archive/tar-reader.ts";
import type { ThreadSource } from "../chain/thread-source.ts";
import {
  blobEntry,
  bundleEntries,
  type ExportIndex,
  filesEntry,
  INDEX_ENTRY,
  parseIndex,
  SUMS_ENTRY,
  sumLine,
} from "./export-layout.ts";
import { invalidExport } from "./invalid-export.ts";

export type ExportFile = ExportIndex & {
  path: string;
  /** Hash of every node, sorted. */
  hashes: readonly string[];
  /** Throws `EXPORT_INVALID` when the file has changed since it was opened. */
  node(hash: string): Promise<EncodedNode>;
  bundle(hash: string): Promise<{ bytes: Buffer; descriptorText: string }>;
  /** The git bundle of the repository at this place of `files`. */
  filesOf(at: number): Promise<Buffer>;
  source: ThreadSource;
  close(): Promise<void>;
};

/** `FILE_NOT_FOUND` or `EXPORT_INVALID`. */
export async function openExport(path: string): Promise<Result<ExportFile, Failure>> {
  const tar = await openTar(path, invalidExport);
  if (!tar.ok) return tar;
  const file = await lookThrough(tar.value);
  if (!file.ok) await tar.value.close();
  return file;
}

type Summed = { at: number; size: number; sha256: string };

const MiB = 1024 * 1024;

async function lookThrough(tar: TarFile): Promise<Result<ExportFile, Failure>> {
  const entries = new Map<string, Summed>();
  let sums = "";
  let index: ExportIndex | null = null;
  let ended = false;
  for await (const entry of tar.entries(mostBytes)) {
    if (!entry.ok) return entry;
    const { name, at, size, content } = entry.value;
    if (ended || entries.has(name)) return err(invalidExport(tar.path, `${name} is one too many`));
    if (name === SUMS_ENTRY) {
      if (!content.equals(Buffer.from(sums)))
        return err(invalidExport(tar.path, "its checksums do not match"));
      ended = true;
      continue;
    }
    const sha256 = sha256Hex(content);
    entries.set(name, { at, size, sha256 });
    sums += sumLine(name, sha256);
    if (name === INDEX_ENTRY) {
      const parsed = parseIndex(content.toString("utf8"));
      if (!parsed.ok) return err(invalidExport(tar.path, parsed.error.message));
      index = parsed.value;
      if (content.equals(Buffer.from(content.toString("utf8")))) continue;
      return err(invalidExport(tar.path, `${name} is not UTF-8 text`));
    }
    const problem = name.startsWith("cas/") ? nodeProblem(name, content) : null;
    if (problem !== null) return err(invalidExport(tar.path, `${name} ${problem}`));
  }
  if (index === null || !ended)
    return err(invalidExport(tar.path, "it has no index or no checksums"));
  return inOrder(tar, index, entries);
}

/** Checks that the entries are exactly those that the index announces, in the right order. */
function inOrder(
  tar: TarFile,
  index: ExportIndex,
  entries: ReadonlyMap<string, Summed>,
): Result<ExportFile, Failure> {
  const bundles = index.bundles.map(({ hash }) => hash).sort();
  const names = [...entries.keys()];
  const hashes = names.filter((name) => name.startsWith("cas/")).map((name) => name.slice(4, -4));
  const expected = [
    INDEX_ENTRY,
    ...bundles.flatMap((hash) => Object.values(bundleEntries(hash))),
    ...[...hashes].sort().map(blobEntry),
    ...index.files.map((_unused, at) => filesEntry(at)),
  ];
  if (names.length !== expected.length || names.some((name, place) => name !== expected[place]))
    return err(
      invalidExport(tar.path, "its entries are not those of an export, or in another order"),
    );
  return ok(exportFile(tar, index, { entries, hashes }));
}

function exportFile(
  tar: TarFile,
  index: ExportIndex,
  { entries, hashes }: { entries: ReadonlyMap<string, Summed>; hashes: readonly string[] },
): ExportFile {
  const read = async (name: string): Promise<Buffer | null> => {
    const entry = entries.get(name);
    if (entry === undefined) return null;
    const content = await tar.read(entry);
    if (sha256Hex(content) === entry.sha256) return content;
    throw new WorkflowError(invalidExport(tar.path, `${name} changed while it was read`));
  };
  const must = async (name: string): Promise<Buffer> => {
    const content = await read(name);
    if (content !== null) return content;
    throw new WorkflowError(invalidExport(tar.path, `it has no ${name}`));
  };
  const bundle: ExportFile["bundle"] = async (hash) => {
    const { code, descriptor } = bundleEntries(hash);
    return { bytes: await must(code), descriptorText: (await must(descriptor)).toString("utf8") };
  };
  return {
    ...index,
    path: tar.path,
    hashes,
    async node(hash) {
      const content = await must(blobEntry(hash));
      const sha256 = sha256Hex(content);
      return { hash, text: content.toString("utf8"), sha256 };
    },
    bundle,
    filesOf: (at) => must(filesEntry(at)),
    source: {
      cas: {
        get: async (hash) => (await read(blobEntry(hash)))?.toString("utf8") ?? null,
        // Nothing is prefetched: each node is read from its position in the file.
        getMany: async () => new Map(),
      },
      thread: async (threadId) => index.threads.find((each) => each.threadId === threadId) ?? null,
      async bundle(hash, sha256) {
        const named = index.bundles.find((each) => each.hash === hash);
        if (named === undefined) return err(absent(hash));
        const { bytes, descriptorText } = await bundle(hash);
        if (hashBytes(bytes) !== hash || sha256Hex(bytes) !== sha256 || named.sha256 !== sha256)
          return err(tampered(hash, "its bytes are not the ones that the thread was started with"));
        const descriptor = parseStoredDescriptor(descriptorText);
        if (descriptor === null)
          return err(tampered(hash, "its descriptor belongs to another bundle"));
        const descriptorSha256 = sha256Hex(descriptorText);
        return ok({ hash, sha256, descriptor, descriptorSha256, rolldown: named.rolldown });
      },
    },
    close: () => tar.close(),
  };
}

/** No honest entry is longer; this bounds how much of one entry we hold in memory. */
function mostBytes(name: string): number {
  if (name.startsWith("cas/")) return constants.MAX_STRING_LENGTH;
  if (name.startsWith("files/")) return constants.MAX_LENGTH;
  return name === SUMS_ENTRY ? constants.MAX_STRING_LENGTH : 64 * MiB;
}

/** What is wrong with a node, phrased as the end of a sentence; null when nothing is. */
function nodeProblem(name: string, content: Buffer): string | null {
  if (name !== blobEntry(hashBytes(content))) return "does not have the hash it is named by";
  const text = content.toString("utf8");
  const node = decodeNode(text);
  if (!node.ok) return `is ${node.error.message}`;
  try {
    if (encodeNode(node.value).text === text && content.equals(Buffer.from(text))) return null;
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  return "is not in the canonical form of a node";
}

function absent(hash: string): Failure {
  return failure("BUNDLE_MISSING", `the export does not hold bundle ${hash}`, "");
}

function tampered(hash: string, what: string): Failure {
  return failure("BUNDLE_TAMPERED", `bundle ${hash} in the export: ${what}`, "");
}
