/** Stores a checked bundle in `bundles/<hash>/`, durably.
 *
 *  1. The bundle file goes last: a folder that has one is complete.
 *  2. The registry names a folder only after this has returned; a crash before that leaves a folder that nothing
 *     refers to.
 *  3. A bundle that is already there is left alone when its bytes are right, and repaired when they are not. */
import { mkdir } from "node:fs/promises";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import { failure, type WorkflowDescriptor, WorkflowError } from "@uncaged/workflow-protocol";
import {
  readRegularFile,
  storageFailed,
  storagePaths,
  syncFolder,
  writeFileAtomic,
} from "@uncaged/workflow-util";
import { buildRecordText } from "./build-record.ts";
import { type BundleFiles, bundleFiles } from "./bundle-files.ts";
import { descriptorText } from "./descriptor-text.ts";
import { MAX_BUNDLE_BYTES } from "./read-bundle-file.ts";

export type BundleToStore = {
  bytes: Buffer;
  hash: string;
  sha256: string;
  descriptor: WorkflowDescriptor;
  externals: readonly string[];
  /** Version of the bundler that built it; null when unknown. */
  rolldown: string | null;
  /** Type declarations to store next to it. */
  types: Buffer | null;
  /** The text that it was compiled from; null: it was not. */
  yaml: string | null;
};

/** Throws `CAS_COLLISION` when another bundle has the same hash, `STORAGE_FAILED` when it cannot be written. */
export async function storeBundle(root: string, bundle: BundleToStore): Promise<void> {
  const files = bundleFiles(root, bundle.hash);
  try {
    await refuseCollision(files.bundle, bundle);
    await mkdir(files.folder, { recursive: true, mode: 0o700 });
    await writeParts(files, bundle);
    await syncFolder(storagePaths(root).bundles);
    await syncFolder(root);
  } catch (cause) {
    throw storageFailed(`cannot store bundle ${bundle.hash} in ${files.folder}`, cause);
  }
}

async function writeParts(files: BundleFiles, bundle: BundleToStore): Promise<void> {
  const descriptor = descriptorText(bundle.descriptor);
  const { hash, sha256, rolldown, externals } = bundle;
  const build = buildRecordText({
    hash,
    sha256,
    rolldown,
    externals,
    descriptorSha256: sha256Hex(descriptor),
  });
  // Each waits for the disk, none for another.
  await Promise.all([
    write(files.descriptor, descriptor),
    write(files.build, build),
    write(files.manifest, '{ "type": "module" }\n'),
    bundle.types === null ? null : write(files.types, bundle.types),
    // The text that was published last: comments are not part of the bundle.
    bundle.yaml === null ? null : write(files.yaml, bundle.yaml),
  ]);
  // The bundle last: see 1.
  await write(files.bundle, bundle.bytes);
}

function write(path: string, data: string | Buffer): Promise<unknown> {
  return writeFileAtomic({ path, data, mode: 0o600, existing: "replace" });
}

async function refuseCollision(path: string, bundle: BundleToStore): Promise<void> {
  const stored = await readIfThere(path);
  if (stored === null || stored.equals(bundle.bytes)) return;
  // Other bytes that do not have this hash either are damage, and repaired; only a true collision is refused.
  if (hashBytes(stored) !== bundle.hash) return;
  throw new WorkflowError(
    failure(
      "CAS_COLLISION",
      `${path} holds another bundle with the hash ${bundle.hash}`,
      "change the workflow (its description will do) and build it again",
    ),
  );
}

async function readIfThere(path: string): Promise<Buffer | null> {
  const read = await readRegularFile(path, MAX_BUNDLE_BYTES);
  if (read.ok) return read.value;
  if (read.error.absent) return null;
  throw new Error(`${path} ${read.error.problem}`);
}
