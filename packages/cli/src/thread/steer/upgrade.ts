import { type Upgrade, upgradeThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import type { Style } from "../../terminal/style.ts";
import { paintStatus } from "../view/paint-status.ts";

export function upgrade(
  opts: { id: string; to: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const upgraded = await upgradeThread(engine, thread, {
      to: opts.to,
      signal: io.interruption(),
    });
    if (!upgraded.ok) return upgraded;
    return ok({ document: upgraded.value, human: (style) => text(upgraded.value, style) });
  });
}

function text({ threadId, from, to, status }: Upgrade, style: Style): string {
  const what =
    from === to
      ? `continues with the packages that are installed now (version ${to})`
      : `version ${from} replaced by ${to}`;
  return `${threadId}: ${what}\n${threadId} is ${paintStatus(style, status)}\n`;
}
