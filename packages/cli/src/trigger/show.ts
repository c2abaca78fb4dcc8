import { findTrigger } from "@uncaged/workflow-host";
import {
  type Failure,
  ok,
  type Result,
  type Trigger,
  type WatchedFile,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import { startText } from "../thread/start/planned-start.ts";
import { shownTrigger, sourceText } from "./trigger-text.ts";
import { withTriggers } from "./with-triggers.ts";

export async function showTrigger(name: string, io: Io): Promise<Result<Output, Failure>> {
  return withTriggers(io, async ({ triggers }) => {
    const found = await findTrigger(triggers, name);
    if (!found.ok) return found;
    const files = (await triggers.files(name)).filter(({ state }) => state !== "known");
    return ok({
      document: { ...shownTrigger(found.value), files },
      human: (style) => text(found.value, files, style),
    });
  });
}

function text(
  { name, plan: { source, start }, pausedAt }: Trigger,
  files: readonly WatchedFile[],
  style: Style,
): string {
  const lines = [
    `${style.bold(name)}  ${printableLine(sourceText(source), 300)}${pausedAt === null ? "" : ", paused"}`,
    `  starts  ${startText(start)}`,
    `  prompt  ${printableLine(start.prompt, 200)}`,
    `  see     uncaged-workflow list --label trigger=${name}`,
  ];
  const table = renderTable<WatchedFile>(
    files,
    [
      { title: "FILE", cell: ({ file }) => printableLine(file, 200), least: 12 },
      { title: "STATE", cell: ({ state }) => state },
      { title: "THREAD", cell: detail },
    ],
    style.columns,
  );
  return `${lines.join("\n")}\n${table === "" ? "" : `\n${table}`}`;
}

function detail(file: WatchedFile): string {
  if ("threadId" in file) return file.threadId;
  return "reason" in file ? printableLine(file.reason, 300) : "";
}
