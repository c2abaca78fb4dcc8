import { type Poke, pokeThread } from "@uncaged/workflow-execute";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { type PromptSource, readPrompt } from "../prompt.ts";
import type { Style } from "../style.ts";
import { withThread } from "../with-engine.ts";
import { paintStatus } from "./paint-status.ts";

/** Runs the head step again in this process. Ctrl-C stops it; the head is then as before. */
export async function poke(
  opts: { id: string; prompt: PromptSource },
  io: Io,
): Promise<Result<Output, Failure>> {
  const prompt = await readPrompt(opts.prompt, io);
  return withThread(io, opts.id, async (engine, thread) => {
    const signal = io.interruption();
    io.hostBundle(io.json ? "nowhere" : "to stderr");
    const poked = await pokeThread(engine, thread, { prompt, signal });
    if (!poked.ok) return poked;
    return ok({
      document: poked.value,
      human: (style) => text(poked.value, style),
      exitCode: EXIT.success,
    });
  });
}

function text({ threadId, head, previousHead, status }: Poke, style: Style): string {
  return `${threadId}: step ${previousHead} replaced by ${head}\n${threadId} is ${paintStatus(style, status)}\n`;
}
