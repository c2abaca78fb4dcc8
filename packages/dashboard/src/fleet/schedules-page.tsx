import { call, type ScheduleRow, type TriggerRow } from "@uncaged/workflow-gateway/contract";
import type { Timing } from "@uncaged/workflow-protocol";
import { Link } from "wouter";
import { useReply } from "../api/queries.ts";
import { workflowAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty, Notice } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { Tag } from "../ui/status.tsx";
import { duration, moment } from "../ui/times.ts";

const EVERY = { everyMs: 15_000 };

/** What starts threads without anybody: at a time, or because something came. */
export function SchedulesPage({ client }: { client: string }) {
  return (
    <ScrollView
      title="Schedules"
      side={<CopyButton look="bare" label="Copy command" text={() => "uwf schedule list"} />}
    >
      <Schedules client={client} />
      <h2 className="mt-6 mb-2">Triggers</h2>
      <Triggers client={client} />
    </ScrollView>
  );
}

const workflowOf = (client: string, { start }: ScheduleRow | TriggerRow) => (
  <Link href={workflowAt(client, start.workflow)} className="text-accent">
    {start.workflow}
  </Link>
);

const promptOf = ({ start }: ScheduleRow | TriggerRow) => oneLine(start.title ?? start.prompt, 80);

function Schedules({ client }: { client: string }) {
  const query = useReply(
    ["schedules", client],
    (to, signal) => call(to, "listSchedules", { client, signal }),
    EVERY,
  );
  return (
    <Loaded query={query}>
      {({ schedules, hosted }) => (
        <>
          {!hosted && schedules.length > 0 && (
            <div className="mb-3">
              <Notice tone="warn" title="No host is up, so nothing fires">
                On {client}, run <code className="font-mono">uwf up</code>.
              </Notice>
            </div>
          )}
          {schedules.length === 0 ? (
            <Empty title="There are no schedules">
              <code className="font-mono">uwf schedule add</code> starts a workflow at set times.
            </Empty>
          ) : (
            <DataTable
              label="Schedules"
              rows={schedules}
              keyOf={({ name }) => name}
              columns={[
                { title: "Name", cell: ({ name }) => name },
                { title: "When", cell: ({ timing }) => timingInWords(timing) },
                { title: "Next", cell: (row) => <Next row={row} /> },
                { title: "Workflow", cell: (row) => workflowOf(client, row) },
                { title: "Overlap", wideOnly: true, cell: ({ overlap }) => overlap },
                { title: "Prompt", wideOnly: true, cell: promptOf },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function Next({ row: { nextAt, pausedAt } }: { row: ScheduleRow }) {
  if (pausedAt !== null) return <Tag tone="warn">‖ paused</Tag>;
  return nextAt === null ? "never" : moment(nextAt);
}

function Triggers({ client }: { client: string }) {
  const query = useReply(
    ["triggers", client],
    (to, signal) => call(to, "listTriggers", { client, signal }),
    EVERY,
  );
  return (
    <Loaded query={query}>
      {({ triggers }) =>
        triggers.length === 0 ? (
          <Empty title="There are no triggers">
            <code className="font-mono">uwf trigger add</code> starts a workflow for new files and
            webhooks.
          </Empty>
        ) : (
          <DataTable
            label="Triggers"
            rows={triggers}
            keyOf={({ name }) => name}
            columns={[
              { title: "Name", cell: ({ name }) => name },
              {
                title: "Source",
                cell: ({ source }) =>
                  source.kind === "watch"
                    ? `new files in ${oneLine(source.folder, 60)}`
                    : "webhook",
              },
              {
                title: "State",
                cell: ({ pausedAt }) =>
                  pausedAt === null ? "active" : <Tag tone="warn">‖ paused</Tag>,
              },
              { title: "Workflow", cell: (row) => workflowOf(client, row) },
              { title: "Prompt", wideOnly: true, cell: promptOf },
            ]}
          />
        )
      }
    </Loaded>
  );
}

function timingInWords(timing: Timing): string {
  if (timing.kind === "cron") return `${timing.cron} (${timing.zone})`;
  if (timing.kind === "every") return `every ${duration(timing.everyMs)}`;
  return `at ${moment(timing.atMs)}`;
}
