import { removeWorkspaces } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";

export async function rm(
  { part, record }: { part: string; record: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const signal = io.interruption();
  const done = await withEngine(io, (engine) => removeWorkspaces(engine, part, { record, signal }));
  if (!done.ok) return done;
  const { removed } = done.value;
  return ok({
    document: done.value,
    human: () =>
      removed.length === 0
        ? "it has no worktree now"
        : removed.map((path) => `removed ${path}`).join("\n"),
  });
}
