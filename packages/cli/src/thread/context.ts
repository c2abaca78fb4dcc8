import { DEFAULT_BUDGET_CHARS, renderPage, threadPage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { withThread } from "../with-engine.ts";

/** The conversation for agents: exactly what was said, without colours or escapes of our own. */
export async function context(
  opts: { id: string; budget: number | null; before: number | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const budgetChars = opts.budget ?? DEFAULT_BUDGET_CHARS;
    const page = await threadPage(engine, thread, { budgetChars, before: opts.before });
    const text = renderPage(page);
    return ok({ document: page, verbatim: text === "" ? "" : `${text}\n` });
  });
}
