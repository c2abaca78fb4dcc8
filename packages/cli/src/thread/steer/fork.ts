import { type ForkFiles, type ForkPoint, forkThread } from "@uncaged/workflow-execute";
import { type Failure, type Limits, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { type PromptSource, readPrompt } from "../../command/prompt.ts";
import { withThread } from "../../command/with-engine.ts";

export async function fork(
  opts: {
    id: string;
    from: ForkPoint;
    agent: string | null;
    limits: Limits | null;
    bundle: string | null;
    /** null: the table's prompt. */
    prompt: PromptSource;
    files: ForkFiles;
    startKey: string | null;
    run: "background" | "idle";
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  const prompt = opts.prompt === null ? null : await readPrompt(opts.prompt, io);
  return withThread(io, opts.id, async (engine, thread) => {
    const forked = await forkThread(engine, thread, {
      from: opts.from,
      agent: opts.agent,
      limits: opts.limits,
      bundle: opts.bundle,
      prompt,
      files: opts.files,
      startKey: opts.startKey,
      run: opts.run,
    });
    if (!forked.ok) return forked;
    const { threadId, head } = forked.value.thread;
    const { forkedFrom } = forked.value;
    // Only the id, so that it can be passed on.
    return ok({ document: { threadId, head, forkedFrom }, human: () => threadId });
  });
}
