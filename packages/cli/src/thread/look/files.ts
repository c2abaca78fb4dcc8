import { type StepChanges, stepChanges } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { fileLine } from "../view/file-line.ts";

export async function files(
  { id, round }: { id: string; round: number },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, thread) => {
    const changes = await stepChanges(engine, thread, round);
    if (!changes.ok) return changes;
    return ok({ document: changes.value, human: (style) => text(changes.value, style) });
  });
}

const PATH_CHARACTERS = 400;

function text({ files: changed, workspace, round, role }: StepChanges, style: Style): string {
  const lines = changed.map((each) => `${fileLine(each, style)}\n`);
  const none = changed.length === 0 ? `step ${round} (${role}) changed no files\n` : "";
  const { repository, before, after } = workspace;
  const all = `git --git-dir=${printableLine(repository, PATH_CHARACTERS)} diff ${before} ${after}`;
  return `${none}${lines.join("")}${changed.length === 0 ? "" : style.dim(`${all}\n`)}`;
}
