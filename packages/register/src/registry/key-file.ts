/** Values of the variables that the configuration names as `$NAME`: from the environment, then from the storage
 *  root's `.env`.
 *
 *  1. The file is read when a variable is not in the environment, each time again, and never put into any
 *     environment.
 *  2. It contains keys: a file that others can read is refused. No message contains one of its values. */
import { isUtf8 } from "node:buffer";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { readRegularFileSync, storagePaths } from "@uncaged/workflow-util";
import { parseKeyFile } from "./parse-key-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** null: it is set nowhere; an empty value counts as not set. Fails like `readKeyFile`. */
export type Variables = (name: string) => Result<string | null, Failure>;

export function variablesOf(root: string, env: Environment): Variables {
  return (name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && value !== "") return ok(value);
    const file = readKeyFile(root);
    return file.ok ? ok(file.value.get(name) || null) : file;
  };
}

/** The content of `.env`; empty when it is missing. `CONFIG_INVALID` when others can read it, or it cannot be read. */
export function readKeyFile(root: string): Result<ReadonlyMap<string, string>, Failure> {
  const path = storagePaths(root).keyFile;
  try {
    const read = readRegularFileSync(path, MAX_BYTES);
    if (!read.ok) {
      if (read.error.absent) return ok(new Map());
      return err(invalid(`${path} ${read.error.problem}`, "replace it with a file, or remove it"));
    }
    const { bytes, mode } = read.value;
    if (process.platform !== "win32" && (mode & 0o077) !== 0) return err(open(path, mode));
    if (!isUtf8(bytes)) return err(invalid(`${path} is not UTF-8 text`, "save it as UTF-8"));
    const parsed = parseKeyFile(bytes.toString("utf8"));
    if (parsed.ok) return parsed;
    const { line, problem } = parsed.error;
    return err(
      invalid(`${path}:${line}: ${problem}`, "write each line as NAME=value, or # and a comment"),
    );
  } catch (cause) {
    return err(failureFrom(cause, "STORAGE_FAILED"));
  }
}

const MAX_BYTES = 1024 * 1024;

function open(path: string, mode: number): Failure {
  const shown = `0${mode.toString(8)}`;
  return invalid(
    `others can read ${path} (mode ${shown}), and it holds keys`,
    `chmod 600 '${path.replaceAll("'", "'\\''")}'`,
  );
}

function invalid(message: string, hint: string): Failure {
  return failure("CONFIG_INVALID", message, hint);
}
