import { viewThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type StepView } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withThread } from "../command/with-engine.ts";

const MOST_CHARS = 2_000;

/** The result of `thread show` for the latest steps only, for a reader with little memory. */
export function showLatest(
  opts: { id: string; last: number },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const { start, steps, ...view } = await viewThread(engine, thread);
    const document = {
      ...view,
      start: { ...start, prompt: shortened(start.prompt) },
      stepCount: steps.length,
      steps: steps.slice(-opts.last).map(brief),
    };
    return ok({ document, human: () => JSON.stringify(document) });
  });
}

function brief({ round, role, meta, content, contentHash, outcome, childThread }: StepView) {
  const metaText = JSON.stringify(meta);
  return {
    round,
    role,
    outcome,
    meta: metaText.length > MOST_CHARS ? shortened(metaText) : meta,
    content: shortened(content),
    contentHash,
    childThread,
  };
}

function shortened(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  // A cut may fall between the halves of a surrogate pair.
  return `${text.slice(0, MOST_CHARS).toWellFormed()} [… ${text.length - MOST_CHARS} characters left out …]`;
}
