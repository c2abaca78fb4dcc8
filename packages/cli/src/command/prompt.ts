/** Where a prompt comes from: `--prompt`, `--prompt-file`, or stdin. */
import { resolve } from "node:path";
import type { Io } from "./io.ts";
import { type Given, type Option, textOption, usageError } from "./options.ts";
import { readStdin, readTextFile } from "./read-text.ts";

export const promptOption: Option<string | null> = textOption(
  "-p, --prompt <text>",
  "the prompt; - reads it from stdin",
);
export const promptFileOption: Option<string | null> = textOption(
  "--prompt-file <path>",
  "a file that contains the prompt; - reads it from stdin",
);

/** The value of the two options; null when neither is given. */
export type PromptSource = { kind: "text"; text: string } | { kind: "file"; path: string } | null;

export function promptSource(given: Given): PromptSource {
  const text = given(promptOption);
  const path = given(promptFileOption);
  if (text !== null && path !== null)
    throw usageError("--prompt and --prompt-file cannot be combined");
  if (path !== null) return { kind: "file", path };
  if (text === "-") return { kind: "file", path: "-" };
  return text === null ? null : { kind: "text", text };
}

/** The prompt. Without a source: what is piped in, or nothing. */
export async function readPrompt(
  source: PromptSource,
  io: Pick<Io, "cwd" | "stdin">,
): Promise<string> {
  if (source?.kind === "text") return source.text;
  if (source?.kind === "file" && source.path !== "-") {
    return readTextFile(resolve(io.cwd, source.path));
  }
  if (source !== null) return readStdin(io.stdin);
  return io.stdin.kind === "data" ? readStdin({ ...io.stdin, chunks: () => prompt(io.stdin) }) : "";
}

/** How long an open pipe may stay silent before it is assumed that nobody writes to it. */
const FIRST_BYTE_WITHIN_MS = 5_000;

/** Nobody asked for stdin: it may be a pipe that a parent process merely left open. Waiting for it forever would
 *  look like a hang, and treating it as empty could lose a slow writer's prompt. */
async function* prompt(stdin: Pick<Io["stdin"], "chunks">): AsyncGenerator<Uint8Array> {
  const chunks = stdin.chunks()[Symbol.asyncIterator]();
  let next = await soon(chunks.next());
  while (next.done !== true) {
    yield next.value;
    next = await chunks.next();
  }
}

async function soon<T>(first: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(nobodyWrites()), FIRST_BYTE_WITHIN_MS);
  try {
    return await Promise.race([first, late]);
  } finally {
    clearTimeout(timer);
  }
}

function nobodyWrites(): Error {
  return usageError(
    `no --prompt was given, and nothing came on stdin within ${FIRST_BYTE_WITHIN_MS / 1_000} s`,
    "give --prompt, close stdin (</dev/null), or wait for it with --prompt -",
  );
}
