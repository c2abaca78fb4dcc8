import { isUtf8 } from "node:buffer";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { readRegularFileSync, storageFailed } from "@uncaged/workflow-util";

export type RegistryText = {
  text: string;
  /** Permission bits; null when there is no file. */
  mode: number | null;
};

/** The text of `workflow.yaml`; empty when there is no file. */
export function loadRegistryText(path: string): Result<RegistryText, Failure> {
  try {
    const read = readRegularFileSync(path, MAX_REGISTRY_BYTES);
    if (!read.ok) {
      if (read.error.absent) return ok({ text: "", mode: null });
      return err(failure("STORAGE_FAILED", `${path} ${read.error.problem}`, PUT_A_FILE));
    }
    const { bytes, mode } = read.value;
    if (isUtf8(bytes)) return ok({ text: bytes.toString("utf8"), mode });
    // Decoded as text it would be written back with different bytes.
    return err(
      failure(
        "CONFIG_INVALID",
        `${path} is not UTF-8 text`,
        "save it as UTF-8; nothing was changed",
      ),
    );
  } catch (cause) {
    return err(storageFailed(`cannot read ${path}`, cause).failure);
  }
}

/** A registry of ten thousand versions has two. */
const MAX_REGISTRY_BYTES = 64 * 1024 * 1024;

const PUT_A_FILE = "replace it with a file, or remove it: then nothing is registered";
