/** Imports a thread from an export. The file is untrusted: all of it is proved before anything is written.
 *
 *  Order of effects: files, then nodes, then bundles, then the index, all threads at once. A crash in between leaves
 *  what nothing refers to, and the same import goes on. */
import { isDeepStrictEqual } from "node:util";
import {
  type AdoptedThread,
  type EncodedNode,
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  type ThreadCopy,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import {
  type BundleToStore,
  type CheckRule,
  checkImportedBundle,
  storeBundle,
} from "@uncaged/workflow-register";
import { startPrompt } from "../chain/chain.ts";
import { usageOfChain } from "../chain/spent.ts";
import type { Engine } from "../storage/engine.ts";
import type { RecordedTrees } from "../verify/verify-files.ts";
import { type Proof, proveThread } from "../verify/verify-thread.ts";
import { importFiles, placeFor, repositoriesIn } from "./exported-files.ts";
import { invalidExport } from "./invalid-export.ts";
import { portableThread } from "./portable-thread.ts";
import { type ExportFile, openExport } from "./read-export.ts";

export type ImportedThread = {
  threadId: string;
  /** The thread and its child threads. */
  threads: readonly string[];
  /** Those that were not here before; empty when the same export was imported already. */
  imported: readonly string[];
  nodes: number;
  /** Git folder that has the files of the steps; left out: the export has none. */
  files?: string;
};

/** Refused, with nothing changed: `FILE_NOT_FOUND`; `EXPORT_INVALID`; `TARGET_EXISTS` when a different thread with that
 *  id exists here; and whatever makes `workflow add` refuse the bundle. */
export async function importThread(
  engine: Engine,
  opts: {
    file: string;
    checkRule: CheckRule;
    /** A folder of the repository that gets the files of the steps; null: one in the storage root. */
    into: string | null;
  },
): Promise<Result<ImportedThread, Failure>> {
  const opened = await openExport(opts.file);
  if (!opened.ok) return opened;
  try {
    return await importFile(engine, opened.value, opts);
  } finally {
    await opened.value.close();
  }
}

async function importFile(
  engine: Engine,
  file: ExportFile,
  { checkRule, into }: { checkRule: CheckRule; into: string | null },
): Promise<Result<ImportedThread, Failure>> {
  const { problem, trees } = await proofOf(file);
  if (problem !== null) return err(invalidExport(file.path, problem));
  const place = await placeFor(engine.root, file, into);
  if (!place.ok) return place;
  const before = await freshThreads(engine, file.threads);
  if (!before.ok) return before;
  const bundles = await admitBundles(engine, file, checkRule);
  if (!bundles.ok) return bundles;
  if (place.value !== null) {
    const files = await importFiles(engine.root, file, { place: place.value, trees });
    if (!files.ok) return files;
  }
  await storeNodes(engine, file);
  for (const bundle of bundles.value) await storeBundle(engine.root, bundle);
  // The index last: from here on the threads exist.
  const fresh = await adoptFresh(engine, file, before.value);
  if (!fresh.ok) return fresh;
  return ok({
    threadId: file.threads[0].threadId,
    threads: file.threads.map(({ threadId }) => threadId),
    imported: fresh.value.map(({ threadId }) => threadId),
    nodes: file.hashes.length,
    ...(place.value === null ? {} : { files: place.value.gitDir }),
  });
}

/** What is wrong with the thread as a whole; null when it is proved and the file holds exactly that thread. */
export async function problemOf(file: ExportFile): Promise<string | null> {
  return (await proofOf(file)).problem;
}

type ProvedFile = {
  problem: string | null;
  /** What its steps say about files. */
  trees: readonly RecordedTrees[];
};

async function proofOf(file: ExportFile): Promise<ProvedFile> {
  const { report, ...proof } = await proveThread(file.source, file.threads[0]);
  return { problem: problemIn(file, report, proof), trees: proof.files };
}

function problemIn(
  { threads, hashes, bundles, files }: ExportFile,
  report: Proof["report"],
  proof: Omit<Proof, "report">,
): string | null {
  const [first] = report.problems;
  if (first !== undefined) return `${first.hash}: ${first.message} [${first.code}]`;
  if (!isDeepStrictEqual(idsOf(proof.threads), idsOf(threads)))
    return "it does not list the thread and the child threads of its steps";
  if (proof.blobs.size !== hashes.length) return "it holds nodes that the thread does not reach";
  if (!isDeepStrictEqual(hashesOf(proof.bundles), hashesOf(bundles)))
    return "it holds bundles that the thread does not need";
  const needed = repositoriesIn(proof.files).map(({ repository }) => repository);
  const held = files.map(({ repository }) => repository);
  if (held.length > 0 && !isDeepStrictEqual(held, needed))
    return "it holds files of other repositories than its steps name";
  for (const { threadId, parentThread, depth } of threads) {
    if (parentThread === null) continue;
    const parent = threads.find((each) => each.threadId === parentThread);
    if (parent?.depth !== depth - 1) return `${threadId} is not a child of a thread in it`;
  }
  return null;
}

function idsOf(threads: readonly { threadId: string }[]): string[] {
  return threads.map(({ threadId }) => threadId);
}

function hashesOf(bundles: readonly { hash: string }[]): string[] {
  return bundles.map(({ hash }) => hash);
}

/** Another import of the same export may have been first: its threads are checked like any that are here already. */
async function adoptFresh(
  engine: Engine,
  file: ExportFile,
  before: ThreadCopy[],
): Promise<Result<ThreadCopy[], Failure>> {
  for (let fresh = before; ; ) {
    if (fresh.length === 0) return ok(fresh);
    try {
      await engine.store.adopt(await withFacts(file, fresh));
      return ok(fresh);
    } catch (thrown) {
      if (failureFrom(thrown, "INTERNAL").code !== "TARGET_EXISTS") throw thrown;
    }
    const left = await freshThreads(engine, file.threads);
    if (!left.ok) return left;
    fresh = left.value;
  }
}

/** With what their nodes say. */
function withFacts(
  { source }: ExportFile,
  threads: readonly ThreadCopy[],
): Promise<AdoptedThread[]> {
  return Promise.all(
    threads.map(async (thread) => ({
      ...thread,
      prompt: await startPrompt(source.cas, thread),
      usage: await usageOfChain(source.cas, thread),
    })),
  );
}

/** The threads that are not here yet. */
async function freshThreads(
  { store }: Engine,
  threads: readonly ThreadCopy[],
): Promise<Result<ThreadCopy[], Failure>> {
  const family = new Set(idsOf(threads));
  const fresh: ThreadCopy[] = [];
  for (const thread of threads) {
    const existing = await store.get(thread.threadId);
    if (existing === null) fresh.push(thread);
    else if (!isDeepStrictEqual(portableThread(existing, family), thread))
      return err(standsOtherwise(existing));
  }
  return ok(fresh);
}

async function admitBundles(
  { root, packagesBase }: Engine,
  file: ExportFile,
  checkRule: CheckRule,
): Promise<Result<BundleToStore[], Failure>> {
  const admitted: BundleToStore[] = [];
  for (const { hash, sha256, rolldown } of file.bundles) {
    const place = `bundle ${hash} in ${file.path}`;
    const { bytes, descriptorText } = await file.bundle(hash);
    const bundle = await checkImportedBundle({
      ...{ root, packagesBase, checkRule, hash, sha256, rolldown, bytes, descriptorText, place },
    });
    if (!bundle.ok) return bundle;
    if (bundle.value !== null) admitted.push(bundle.value);
  }
  return ok(admitted);
}

/** A few at a time, so that neither their number nor their length fills the memory. */
async function storeNodes({ cas }: Engine, file: ExportFile): Promise<void> {
  let batch: EncodedNode[] = [];
  let length = 0;
  for (const hash of file.hashes) {
    const node = await file.node(hash);
    batch.push(node);
    length += node.text.length;
    if (batch.length < BATCH_NODES && length < BATCH_LENGTH) continue;
    await cas.putBatch(batch);
    batch = [];
    length = 0;
  }
  await cas.putBatch(batch);
}

const BATCH_NODES = 512;
const BATCH_LENGTH = 16 * 1024 * 1024;

function standsOtherwise({ threadId, status, stepCount }: ThreadRecord): Failure {
  return failure(
    "TARGET_EXISTS",
    `thread ${threadId} already exists here, ${status} after ${stepCount} steps, and differs from the export; nothing was changed`,
    `compare them after an import into another storage root (WORKFLOW_STORAGE_ROOT), or remove this one first: uncaged-workflow thread rm ${threadId}`,
  );
}
