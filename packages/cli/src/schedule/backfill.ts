import { runningHost } from "@uncaged/workflow-execute";
import { backfillSchedule, findSchedule, timeIn } from "@uncaged/workflow-host";
import { type Failure, type Overlap, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { NOTHING_FIRES } from "./schedule-text.ts";
import { withSchedules } from "./with-schedules.ts";

export async function backfill(
  { name, from, to, overlap }: { name: string; from: string; to: string | null; overlap: Overlap },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withSchedules(io, async (at) => {
    const found = await findSchedule(at.schedules, name);
    if (!found.ok) return found;
    const { timing } = found.value.plan;
    const zone =
      timing.kind === "cron" ? timing.zone : Intl.DateTimeFormat().resolvedOptions().timeZone;
    const [begins, ends] = [timeIn(from, zone), to === null ? ok(io.now()) : timeIn(to, zone)];
    if (!begins.ok) return begins;
    if (!ends.ok) return ends;
    const made = await backfillSchedule(at, { name, from: begins.value, to: ends.value, overlap });
    if (!made.ok) return made;
    const firings = made.value;
    const isHosted = runningHost(at.engine.root) !== null;
    return ok({
      document: { name, firings, hosted: isHosted },
      human: () => {
        if (firings.length === 0) return `${name} has nothing to make up for in that period`;
        const what = `${count(firings.length, "due time")} of ${name} will be made up for`;
        return isHosted ? what : `${what}\n${NOTHING_FIRES}`;
      },
    });
  });
}
