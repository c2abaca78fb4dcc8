import { DEFAULT_BUDGET_CHARS, threadPage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type StepStoreAddress } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { stepStore } from "../../command/step-store.ts";
import { withThread } from "../../command/with-engine.ts";

/** The conversation for agents, without colours. With `--json` texts are exactly as they were said. */
export async function context(
  opts: { id: string; budget: number | null; before: number | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const lent = stepStore(io.env);
  if (lent !== null) return fromStep(lent, opts);
  return withThread(io, opts.id, async (engine, thread) => {
    const budgetChars = opts.budget ?? DEFAULT_BUDGET_CHARS;
    const { page, text } = await threadPage(engine, thread, {
      budgetChars,
      before: opts.before,
    });
    return ok(shown(page, text));
  });
}

async function fromStep(
  lent: StepStoreAddress,
  {
    id: thread,
    budget: budgetChars,
    before,
  }: { id: string; budget: number | null; before: number | null },
): Promise<Result<Output, Failure>> {
  const { stepContext } = await import("../../command/ask-step-store.ts");
  const answer = await stepContext(lent, { thread, budgetChars, before });
  return answer.ok ? ok(shown(answer.value.page, answer.value.text)) : answer;
}

function shown(page: unknown, text: string): Output {
  return { document: page, verbatim: text === "" ? "" : `${text}\n` };
}
