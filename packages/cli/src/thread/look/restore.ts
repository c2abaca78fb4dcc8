import { resolve } from "node:path";
import { restoreStep } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import { printableLine } from "../../terminal/printable.ts";

export async function restore(
  opts: {
    id: string;
    /** null: the last step. */
    round: number | null;
    folder: string;
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  const folder = resolve(io.cwd, opts.folder);
  return withThread(io, opts.id, async (engine, thread) => {
    const round = opts.round ?? thread.stepCount;
    const restored = await restoreStep(engine, thread, { round, folder });
    if (!restored.ok) return restored;
    const human = () => `wrote the files of step ${round} to ${printableLine(folder, 400)}`;
    return ok({ document: restored.value, human });
  });
}
