import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { readStdin } from "../command/read-text.ts";
import { stepStore } from "../command/step-store.ts";
import { withStore } from "./open-store.ts";

/** Stores any text as a content node. */
export async function putText(content: string, io: Io): Promise<Result<Output, Failure>> {
  const text = content === "-" ? await readStdin(io.stdin) : content;
  const stored = await storeText(text, io);
  return stored.ok ? ok({ document: { hash: stored.value }, human: () => stored.value }) : stored;
}

export async function storeText(
  text: string,
  io: Pick<Io, "env">,
): Promise<Result<string, Failure>> {
  const lent = stepStore(io.env);
  if (lent === null) return ok(await withStore(io, "write", (cas) => cas.put(text)));
  const { storeInStep } = await import("../command/ask-step-store.ts");
  return storeInStep(lent, text);
}
