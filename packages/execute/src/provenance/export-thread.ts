/** Writes a thread and everything it reaches into one file. The contents are proved first, then read and compared again
 *  as they are written. */
import { constants } from "node:buffer";
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { bundleFiles } from "@uncaged/workflow-register";
import { readRegularFile, storageFailed } from "@uncaged/workflow-util";
import { type AddEntry, type WrittenFile, writeTar } from "../archive/tar-writer.ts";
import { readBlob } from "../chain/read-node.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";
import { workersOf } from "../workers/workers-of.ts";
import {
  blobEntry,
  bundleEntries,
  filesEntry,
  INDEX_ENTRY,
  indexText,
  SUMS_ENTRY,
  sumLine,
} from "./export-layout.ts";
import { bundleOf, repositoriesIn } from "./exported-files.ts";
import { portableThread } from "./portable-thread.ts";
import { type ProvedThread, proveStored } from "./prove-stored.ts";

export type ExportedThread = WrittenFile & {
  threadId: string;
  /** Absolute path. */
  file: string;
  nodes: number;
  /** The thread and its child threads. */
  threads: readonly string[];
};

/** The same thread produces the same bytes in any storage root. Refused: a thread that cannot be proved, and a file
 *  that exists already (`TARGET_EXISTS`). With files, also one whose files are missing (`GIT_FAILED`), and the bytes are
 *  not always the same. */
export async function exportThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: { file: string; withFiles: boolean },
): Promise<Result<ExportedThread, Failure>> {
  const atWork = await workerAtWork(engine, thread);
  if (atWork !== null) return err(atWork);
  const proved = await proveStored(engine, thread, "is not exported");
  if (!proved.ok) return proved;
  const { proof, records } = proved.value;
  const written = await writeTar(opts.file, (add) =>
    addAll(engine, proved.value, { add, withFiles: opts.withFiles }),
  );
  if (!written.ok) return written;
  return ok({
    threadId: thread.threadId,
    file: opts.file,
    ...written.value,
    nodes: proof.blobs.size,
    threads: records.map(({ threadId }) => threadId),
  });
}

/** A worker under way would be missing: it is part of the chain once its coordinator has noted its end. */
async function workerAtWork(engine: Engine, thread: ThreadRecord): Promise<Failure | null> {
  for (const worker of await workersOf(engine, thread)) {
    const seen = await lookAtThread(engine, worker.threadId);
    if (seen?.status !== "running" && seen?.status !== "queued") continue;
    return failure(
      "TRANSITION_INVALID",
      `worker ${worker.threadId} of thread ${thread.threadId} is ${seen.status}: the export would be without it`,
      `wait for its end, or stop both first: uncaged-workflow thread stop ${thread.threadId}`,
    );
  }
  return null;
}

async function addAll(
  engine: Engine,
  { proof, records }: ProvedThread,
  { add, withFiles }: { add: AddEntry; withFiles: boolean },
): Promise<void> {
  const sums: string[] = [];
  const addSummed = async (
    name: string,
    content: Buffer,
    expected: string | null,
  ): Promise<void> => {
    const sha256 = sha256Hex(content);
    if (expected !== null && sha256 !== expected) throw changed(name);
    sums.push(sumLine(name, sha256));
    await add(name, content);
  };
  const family = new Set(records.map(({ threadId }) => threadId));
  const [first, ...children] = records;
  const repositories = withFiles ? repositoriesIn(proof.files) : [];
  const index = indexText({
    threads: [
      portableThread(first, family),
      ...children.map((each) => portableThread(each, family)),
    ],
    bundles: proof.bundles.map(({ hash, sha256, rolldown }) => ({ hash, sha256, rolldown })),
    files: repositories.map(({ repository, objectFormat }) => ({ repository, objectFormat })),
  });
  await addSummed(INDEX_ENTRY, Buffer.from(index), null);
  for (const bundle of proof.bundles) {
    const files = bundleFiles(engine.root, bundle.hash);
    const entries = bundleEntries(bundle.hash);
    await addSummed(entries.code, await read(files.bundle), bundle.sha256);
    await addSummed(entries.descriptor, await read(files.descriptor), bundle.descriptorSha256);
  }
  for (const hash of [...proof.blobs.keys()].sort()) {
    const text = Buffer.from(await readBlob(engine.cas, hash));
    await addSummed(blobEntry(hash), text, proof.blobs.get(hash) ?? "");
  }
  for (const [at, each] of repositories.entries())
    await addSummed(filesEntry(at), await bundleOf(engine.root, each), null);
  await add(SUMS_ENTRY, Buffer.from(sums.join("")));
}

async function read(path: string): Promise<Buffer> {
  const read = await readRegularFile(path, constants.MAX_STRING_LENGTH);
  if (read.ok) return read.value;
  const problem = read.error.absent ? "it is not there" : `it ${read.error.problem}`;
  throw storageFailed(`cannot read ${path}`, new Error(problem));
}

function changed(name: string): WorkflowError {
  return new WorkflowError(
    failure(
      "CAS_CORRUPT",
      `${name} changed while it was exported`,
      "run: uncaged-workflow cas fsck",
    ),
  );
}
