import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256Hex } from "@uncaged/workflow-cas";
import { writeFileAtomic } from "@uncaged/workflow-util";
import { buildRecordText } from "../bundle/build-record.ts";
import { type OutputFiles, outputFiles } from "../bundle/bundle-files.ts";
import { descriptorText } from "../bundle/descriptor-text.ts";
import type { CheckedBundle } from "../check/check-bundle.ts";

export type WrittenCode = {
  code: string;
  /** Null: the sources are data, and none of them is executed. */
  sourceMap: string | null;
  /** Version of the bundler; null: none was needed. */
  rolldown: string | null;
};

/** Writes the files of a build, each completely or not at all. The bundle goes last: a crash before it leaves an old
 *  bundle next to a new descriptor, which `workflow add` refuses until it is built again. */
export async function writeOutput(
  file: string,
  built: WrittenCode & { checked: CheckedBundle },
): Promise<OutputFiles> {
  const { hash, sha256, externals, descriptor, bytes } = built.checked;
  const text = descriptorText(descriptor);
  const descriptorSha256 = sha256Hex(text);
  const record = buildRecordText({
    hash,
    sha256,
    rolldown: built.rolldown,
    externals,
    descriptorSha256,
  });
  const files = outputFiles(file);
  await mkdir(dirname(file), { recursive: true });
  if (built.sourceMap !== null) await write(files.sourceMap, built.sourceMap);
  await write(files.build, record);
  await write(files.descriptor, text);
  await write(files.bundle, bytes);
  return files;
}

function write(path: string, data: string | Buffer): Promise<unknown> {
  return writeFileAtomic({ path, data, mode: 0o644, existing: "replace" });
}
