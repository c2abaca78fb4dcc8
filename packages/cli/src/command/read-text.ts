/** Reads text from a stream or a file exactly: valid UTF-8 only, with byte order mark and NUL kept. */
import { err, failure, failureFrom, type Result, WorkflowError } from "@uncaged/workflow-protocol";
import { readRegularFile, type Unreadable } from "@uncaged/workflow-util";
import type { Input } from "./io.ts";
import { usageError } from "./options.ts";

/** Anything longer was not meant as a prompt or a blob, and would not fit into one string. */
const MAX_BYTES = 256 * 1024 * 1024;

export function readStdin(stdin: Input): Promise<string> {
  return textOf(stdin.chunks(), "stdin");
}

export async function readTextFile(path: string): Promise<string> {
  const read = await readRegularFile(path, MAX_BYTES).catch(unreadable);
  if (read.ok) return decode(read.value, path);
  const problem = read.error.absent ? "is not there" : read.error.problem;
  throw new WorkflowError(
    failure(
      "FILE_NOT_FOUND",
      `${JSON.stringify(path)} ${problem}`,
      "check the path; anything that is not a file can be piped to stdin",
    ),
  );
}

function unreadable(thrown: unknown): Result<never, Unreadable> {
  const { message } = failureFrom(thrown, "INTERNAL");
  return err({ absent: false, problem: `cannot be read: ${message}` });
}

async function textOf(chunks: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES) throw usageError(`${what} is larger than 256 MiB`, "store it in parts");
    parts.push(chunk);
  }
  return decode(Buffer.concat(parts), what);
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`${what} is not valid UTF-8`, "convert it first, for example with iconv");
  }
}
