import { DEFAULT_BUDGET_CHARS, threadPage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";

/** The conversation for agents, without colours. With `--json` texts are exactly as they were said. */
export async function context(
  opts: { id: string; budget: number | null; before: number | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const budgetChars = opts.budget ?? DEFAULT_BUDGET_CHARS;
    const { page, text } = await threadPage(engine, thread, {
      budgetChars,
      before: opts.before,
    });
    return ok({ document: page, verbatim: text === "" ? "" : `${text}\n` });
  });
}
