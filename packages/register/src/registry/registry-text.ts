import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

export type RegistryText = {
  text: string;
  /** Permission bits; null when there is no file. */
  mode: number | null;
};

/** The text of `workflow.yaml`; empty when there is no file. */
export function loadRegistryText(path: string): Result<RegistryText, Failure> {
  try {
    const bytes = readFileSync(path);
    const mode = statSync(path).mode & 0o777;
    if (isUtf8(bytes)) return ok({ text: bytes.toString("utf8"), mode });
    // Read as text it would be written back with other bytes than the person's.
    return err(
      failure(
        "CONFIG_INVALID",
        `${path} is not UTF-8 text`,
        "save it as UTF-8; nothing was changed",
      ),
    );
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return ok({ text: "", mode: null });
    return err(storageFailed(`cannot read ${path}`, cause).failure);
  }
}
