import { call, type WorkerRow } from "@uncaged/workflow-gateway/contract";
import { useState } from "react";
import { useMay } from "../api/clients.ts";
import { useReply } from "../api/queries.ts";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { Tag } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import { DrainDialog } from "./drain-dialog.tsx";

/** Who runs threads of the root, on whichever machine. */
export function Workers({ client }: { client: string }) {
  const may = useMay(client, "run");
  const [draining, setDraining] = useState<WorkerRow | null>(null);
  const query = useReply(
    ["workers", client],
    (to, signal) => call(to, "listWorkers", { client, signal }),
    { everyMs: 5_000 },
  );
  return (
    <>
      <Loaded query={query}>
        {({ workers }) =>
          workers.length === 0 ? (
            <Empty title="No worker is up">
              On {client}, <code className="font-mono">uwf up</code> runs what is queued.
            </Empty>
          ) : (
            <DataTable
              label="Workers"
              rows={workers}
              keyOf={({ worker }) => worker}
              columns={[
                { title: "Worker", cell: ({ worker }) => worker },
                { title: "Machine", wideOnly: true, cell: ({ host }) => oneLine(host, 60) },
                { title: "State", cell: (row) => <State row={row} /> },
                { title: "Pools", cell: ({ pools }) => oneLine(pools.join(", "), 60) },
                {
                  title: "Labels",
                  wideOnly: true,
                  cell: ({ labels }) => oneLine(labels.join(", "), 60),
                },
                {
                  title: "Threads",
                  right: true,
                  cell: ({ threads, atOnce }) =>
                    atOnce === null ? threads.length : `${threads.length} of ${atOnce}`,
                },
                { title: "Version", wideOnly: true, cell: ({ version }) => oneLine(version, 20) },
                {
                  title: "Seen",
                  right: true,
                  wideOnly: true,
                  cell: ({ seenAt }) => <Ago at={seenAt} />,
                },
                ...(may
                  ? [
                      {
                        title: "Action",
                        right: true,
                        cell: (row: WorkerRow) =>
                          row.drainingAt === null &&
                          !row.stale && (
                            <Button
                              size="small"
                              aria-label={`Drain ${row.worker}…`}
                              onClick={() => setDraining(row)}
                            >
                              Drain…
                            </Button>
                          ),
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
      {draining !== null && (
        <DrainDialog client={client} worker={draining} onClose={() => setDraining(null)} />
      )}
    </>
  );
}

function State({ row: { stale, drainingAt } }: { row: WorkerRow }) {
  if (stale) return <Tag tone="bad">! stale</Tag>;
  return drainingAt === null ? <Tag tone="good">▶ up</Tag> : <Tag tone="warn">‖ draining</Tag>;
}
