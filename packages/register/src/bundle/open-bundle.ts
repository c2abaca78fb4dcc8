import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  isHash,
  ok,
  type Result,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { readRegularFile, storageFailed } from "@uncaged/workflow-util";
import { type BuildRecord, buildRecordText, parseBuildRecord } from "./build-record.ts";
import { type BundleFiles, bundleFiles } from "./bundle-files.ts";
import { MAX_BUNDLE_BYTES } from "./read-bundle-file.ts";
import { parseStoredDescriptor } from "./stored-descriptor.ts";

export type OpenedBundle = {
  /** Absolute path of the module. */
  file: string;
  /** The bytes that were checked: what has to be imported, see `importBundle`. */
  bytes: Buffer;
  hash: string;
  sha256: string;
  descriptor: WorkflowDescriptor;
  /** External packages that it imports, such as `@uncaged/workflow-runtime`. */
  externals: readonly string[];
  /** SHA-256 (hex) of the descriptor file. */
  descriptorSha256: string;
  /** Version of the bundler that built it; null when unknown. */
  rolldown: string | null;
};

/** A stored bundle whose bytes match `hash` and `sha256`: to be called before every run. `BUNDLE_MISSING` when a
 *  part is missing, `BUNDLE_TAMPERED` when one has other bytes. */
export async function openBundle(
  root: string,
  hash: string,
  sha256: string,
): Promise<Result<OpenedBundle, Failure>> {
  if (!isHash(hash)) return err(failure("USAGE", `${JSON.stringify(hash)} is not a hash`, ""));
  const files = bundleFiles(root, hash);
  const bytes = await readPart(files.bundle, hash);
  if (!bytes.ok) return bytes;
  if (hashBytes(bytes.value) !== hash || sha256Hex(bytes.value) !== sha256) {
    return err(tampered(files.bundle, "its bytes are not the ones that were registered"));
  }
  const build = await readBuild(files, hash, sha256);
  if (!build.ok) return build;
  const descriptor = await readDescriptor(files, build.value);
  if (!descriptor.ok) return descriptor;
  const { externals, descriptorSha256, rolldown } = build.value;
  return ok({
    file: files.bundle,
    bytes: bytes.value,
    hash,
    sha256,
    descriptor: descriptor.value,
    externals,
    descriptorSha256,
    rolldown,
  });
}

async function readBuild(
  files: BundleFiles,
  hash: string,
  sha256: string,
): Promise<Result<BuildRecord, Failure>> {
  const bytes = await readPart(files.build, hash);
  if (!bytes.ok) return bytes;
  const text = bytes.value.toString("utf8");
  const record = parseBuildRecord(text);
  const ours = record !== null && record.hash === hash && record.sha256 === sha256;
  // No digest covers its bytes, but there is only one way in which we write it.
  if (ours && buildRecordText(record) === text) return ok(record);
  return err(tampered(files.build, "it is not the record of this bundle"));
}

async function readDescriptor(
  files: BundleFiles,
  build: BuildRecord,
): Promise<Result<WorkflowDescriptor, Failure>> {
  const bytes = await readPart(files.descriptor, build.hash);
  if (!bytes.ok) return bytes;
  if (sha256Hex(bytes.value) !== build.descriptorSha256) {
    return err(tampered(files.descriptor, "its bytes are not the ones that were stored"));
  }
  const descriptor = parseStoredDescriptor(bytes.value.toString("utf8"));
  return descriptor === null
    ? err(tampered(files.descriptor, "it is not a descriptor"))
    : ok(descriptor);
}

async function readPart(path: string, hash: string): Promise<Result<Buffer, Failure>> {
  try {
    const read = await readRegularFile(path, MAX_BUNDLE_BYTES);
    if (read.ok) return read;
    if (!read.error.absent) throw new Error(`it ${read.error.problem}`);
    return err(
      failure("BUNDLE_MISSING", `${path} is not there; it belongs to bundle ${hash}`, ADD_AGAIN),
    );
  } catch (cause) {
    return err(storageFailed(`cannot read ${path}`, cause).failure);
  }
}

function tampered(path: string, what: string): Failure {
  return failure("BUNDLE_TAMPERED", `${path}: ${what}`, ADD_AGAIN);
}

const ADD_AGAIN =
  "nothing was run; build it from its sources and add it again: uncaged-workflow workflow add <name> <file>";
