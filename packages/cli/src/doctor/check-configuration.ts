import { stat } from "node:fs/promises";
import { readKeyFile, readRegistry } from "@uncaged/workflow-register";
import { isErrno, storagePaths } from "@uncaged/workflow-util";
import { shellWord } from "../command/shell-word.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

const NAME = "configuration";

/** Checks that `workflow.yaml` and `.env` can be read, and only by their owner: they may contain keys. */
export async function checkConfiguration({ root }: DoctorContext): Promise<Check> {
  const { registry: path } = storagePaths(root);
  const keys = readKeyFile(root);
  if (!keys.ok) return wrong(NAME, keys.error.message, keys.error.hint);
  const mode = await modeOf(path);
  if (mode === null) return fine(NAME, "no workflow.yaml yet: nothing is registered");
  const registry = await readRegistry(root);
  if (!registry.ok) return wrong(NAME, registry.error.message, registry.error.hint);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return wrong(
      NAME,
      `others can read ${path} (mode 0${mode.toString(8)})`,
      `chmod 600 ${shellWord(path)}`,
    );
  }
  return fine(NAME, `${path}, ${registry.value.workflows.size} registered`);
}

/** Permission bits; null when there is no such file. */
async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return null;
    throw cause;
  }
}
