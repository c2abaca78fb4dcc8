import { type Poke, pokeThread, undoPoke } from "@uncaged/workflow-execute";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { type PromptSource, readPrompt } from "../../command/prompt.ts";
import { withThread } from "../../command/with-engine.ts";
import type { Style } from "../../terminal/style.ts";
import { paintStatus } from "../view/paint-status.ts";

/** Runs the head step again in this process. Ctrl-C stops it; the head then stays as it was. */
export async function poke(
  opts: { id: string; prompt: PromptSource; agent: string | null; keepFiles: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const prompt = await readPrompt(opts.prompt, io);
  return withThread(io, opts.id, async (engine, thread) => {
    const signal = io.interruption();
    io.hostBundle(io.json ? "nowhere" : "to stderr");
    const { agent, keepFiles } = opts;
    const poked = await pokeThread(engine, thread, { prompt, agent, keepFiles, signal });
    if (!poked.ok) return poked;
    return ok({
      document: poked.value,
      human: (style) => text(poked.value, style),
      exitCode: EXIT.success,
    });
  });
}

/** Restores the replaced step. */
export function undo(id: string, io: Io): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, thread) => {
    const undone = await undoPoke(engine, thread, io.interruption());
    if (!undone.ok) return undone;
    return ok({ document: undone.value, human: (style) => text(undone.value, style) });
  });
}

function text({ threadId, head, previousHead, status }: Poke, style: Style): string {
  return `${threadId}: step ${previousHead} replaced by ${head}\n${threadId} is ${paintStatus(style, status)}\n`;
}
