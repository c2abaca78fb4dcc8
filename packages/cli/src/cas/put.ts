import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { readStdin } from "../command/read-text.ts";
import { withStore } from "./open-store.ts";

/** Stores any text as a content node. */
export async function putText(content: string, io: Io): Promise<Result<Output, Failure>> {
  const text = content === "-" ? await readStdin(io.stdin) : content;
  const hash = await storeText(text, io);
  return ok({ document: { hash }, human: () => hash });
}

export function storeText(text: string, io: Pick<Io, "env">): Promise<string> {
  return withStore(io, "write", (cas) => cas.put(text));
}
