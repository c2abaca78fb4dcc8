import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { readStdin } from "../command/read-text.ts";
import { withStore } from "./open-store.ts";

/** Stores any text as a content node. */
export async function putText(content: string, io: Io): Promise<Result<Output, Failure>> {
  const text = content === "-" ? await readStdin(io.stdin) : content;
  const hash = await withStore(io, "write", (cas) => cas.put(text));
  return ok({ document: { hash }, human: () => hash });
}
