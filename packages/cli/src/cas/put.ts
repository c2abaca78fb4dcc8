import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { readStdin } from "../read-text.ts";
import { withStore } from "./open-store.ts";

/** Stores a text, whatever it looks like, as a content node. */
export async function putText(content: string, io: Io): Promise<Result<Output, Failure>> {
  const text = content === "-" ? await readStdin(io.stdin) : content;
  const hash = await withStore(io, "write", (cas) => cas.put(text));
  return ok({ document: { hash }, human: () => hash });
}
