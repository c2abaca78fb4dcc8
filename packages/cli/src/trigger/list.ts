import { type Failure, ok, type Result, type Trigger } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import { shownTrigger, sourceText } from "./trigger-text.ts";
import { withTriggers } from "./with-triggers.ts";

export async function listTriggers(io: Io): Promise<Result<Output, Failure>> {
  const all = await withTriggers(io, ({ triggers }) => triggers.list());
  return ok({
    document: { triggers: all.map(shownTrigger) },
    human: (style) => {
      if (all.length === 0) return "no triggers; add one with: uncaged-workflow trigger add --help";
      return renderTable<Trigger>(
        all,
        [
          { title: "NAME", cell: ({ name }) => name },
          { title: "WORKFLOW", cell: ({ plan }) => plan.start.workflow, least: 8, spare: true },
          { title: "STATE", cell: ({ pausedAt }) => (pausedAt === null ? "active" : "paused") },
          { title: "STARTS FOR", cell: ({ plan }) => printableLine(sourceText(plan.source), 200) },
        ],
        style.columns,
      );
    },
  });
}
