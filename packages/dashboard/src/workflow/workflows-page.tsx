import { call } from "@uncaged/workflow-gateway/contract";
import { Link } from "wouter";
import { useMay } from "../api/clients.ts";
import { useReply } from "../api/queries.ts";
import { DescribeWorkflow } from "../editor/describe-workflow.tsx";
import { NewWorkflow } from "../editor/new-workflow.tsx";
import { runAt, workflowAt } from "../shell/addresses.ts";
import { DataTable } from "../ui/data-table.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { Ago } from "../ui/time.tsx";

export function WorkflowsPage({ client }: { client: string }) {
  const query = useReply(["workflows", client], (to, signal) =>
    call(to, "listWorkflows", { client, signal }),
  );
  const may = useMay(client, "run");
  const mayEdit = useMay(client, "edit");
  return (
    <ScrollView title="Workflows">
      {mayEdit && (
        <div className="mb-3 flex flex-wrap gap-2">
          <NewWorkflow client={client} names={query.data?.workflows ?? []} />
          <DescribeWorkflow client={client} names={query.data?.workflows ?? []} />
        </div>
      )}
      <Loaded query={query}>
        {({ workflows }) =>
          workflows.length === 0 ? (
            <Empty title="There is no workflow yet">
              {mayEdit
                ? "Make one with forms, or describe what happens today and have it drafted. "
                : ""}
              One that is written in TypeScript is added on a terminal:{" "}
              <code className="font-mono">uwf workflow add &lt;name&gt; &lt;file&gt;</code>
            </Empty>
          ) : (
            <DataTable
              label="Workflows"
              rows={workflows}
              keyOf={({ name }) => name}
              columns={[
                {
                  title: "Name",
                  cell: ({ name }) => (
                    <Link href={workflowAt(client, name)} className="font-medium text-accent">
                      {name}
                    </Link>
                  ),
                },
                {
                  title: "Version",
                  cell: ({ hash }) => <span className="font-mono text-xs">{hash}</span>,
                },
                { title: "Since", wideOnly: true, cell: ({ timestamp }) => <Ago at={timestamp} /> },
                {
                  title: "Run",
                  right: true,
                  cell: ({ name }) =>
                    may && (
                      <Link href={runAt(client, name)} className="text-accent">
                        Run…
                      </Link>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </ScrollView>
  );
}
