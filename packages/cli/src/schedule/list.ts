import { runningHost } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type Schedule } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { renderTable } from "../terminal/render-table.ts";
import { NOTHING_FIRES, nextText, shownSchedule, timingText } from "./schedule-text.ts";
import { withSchedules } from "./with-schedules.ts";

export async function listSchedules(io: Io): Promise<Result<Output, Failure>> {
  return withSchedules(io, async ({ engine, schedules }) => {
    const all = await schedules.list();
    const isHosted = runningHost(engine.root) !== null;
    return ok({
      document: { schedules: all.map(shownSchedule), hosted: isHosted },
      human: (style) => {
        if (all.length === 0)
          return "no schedules; add one with: uncaged-workflow schedule add --help";
        const table = renderTable<Schedule>(
          all,
          [
            { title: "NAME", cell: ({ name }) => name },
            { title: "WORKFLOW", cell: ({ plan }) => plan.start.workflow, least: 8, spare: true },
            { title: "WHEN", cell: ({ plan }) => timingText(plan.timing), least: 12 },
            { title: "NEXT", cell: (schedule) => nextText(schedule, io.now()) },
          ],
          style.columns,
        );
        return isHosted ? table : `${table}${style.dim(NOTHING_FIRES)}\n`;
      },
    });
  });
}
