import { isUtf8 } from "node:buffer";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { readRegularFile } from "@uncaged/workflow-util";

/** No honest bundle comes close; limits what a wrong path can make us read. */
export const MAX_BUNDLE_BYTES: number = 64 * 1024 * 1024;

/** Reads a bundle once: these bytes are then checked, hashed and stored, whatever happens to the file.
 *  `FILE_NOT_FOUND`, or `BUNDLE_INVALID` for what cannot be a bundle. */
export async function readBundleFile(path: string): Promise<Result<Buffer, Failure>> {
  const read = await readRegularFile(path, MAX_BUNDLE_BYTES);
  if (!read.ok) return err(read.error.absent ? missing(path) : invalid(path, read.error.problem));
  if (read.value.length === 0) return err(invalid(path, "is empty"));
  return isUtf8(read.value) ? read : err(invalid(path, "is not UTF-8 text"));
}

function missing(path: string): Failure {
  return failure(
    "FILE_NOT_FOUND",
    `there is no file ${path}`,
    "build it with: uncaged-workflow workflow build <entry>",
  );
}

function invalid(path: string, problem: string): Failure {
  return failure(
    "BUNDLE_INVALID",
    `${path} ${problem}`,
    "give the .esm.js file that `workflow build` wrote",
  );
}
