import { call, type WorkflowDetail } from "@uncaged/workflow-gateway/contract";
import { Suspense, useMemo } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMay } from "../api/clients.ts";
import { useReply } from "../api/queries.ts";
import { graphOf } from "../graph/model.ts";
import { editAt, runAt, threadAt, workflowAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { lazily } from "../ui/lazily.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Empty, Loading } from "../ui/notice.tsx";
import { Tag, ThreadStatusTag } from "../ui/status.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { Ago } from "../ui/time.tsx";
import { count, money } from "../ui/times.ts";
import { Roles } from "./roles.tsx";
import { Rules } from "./rules.tsx";
import { useWorkflow } from "./use-workflow.ts";
import { Versions } from "./versions.tsx";

const GraphView = lazily(() => import("../graph/graph-view.tsx"), "GraphView");

type Part = "graph" | "roles" | "rules" | "versions" | "threads" | "cost";
const PARTS: readonly Tab<Part>[] = [
  { name: "graph", label: "Graph" },
  { name: "roles", label: "Roles" },
  { name: "rules", label: "Rules" },
  { name: "versions", label: "Versions" },
  { name: "threads", label: "Threads" },
  { name: "cost", label: "Cost" },
];

export function WorkflowPage({ client, name }: { client: string; name: string }) {
  const search = useSearch();
  const given = new URLSearchParams(search);
  const query = useWorkflow(client, name, given.get("v") ?? undefined);
  return (
    <Loaded query={query}>
      {(workflow) => (
        <Shown
          client={client}
          workflow={workflow}
          part={PARTS.find((part) => part.name === given.get("part"))?.name ?? "graph"}
          role={given.get("role")}
        />
      )}
    </Loaded>
  );
}

function Shown({
  client,
  workflow,
  part,
  role,
}: {
  client: string;
  workflow: WorkflowDetail;
  part: Part;
  role: string | null;
}) {
  const { name, hash, descriptor, history } = workflow;
  const [path, go] = useLocation();
  const search = useSearch();
  const may = useMay(client, "run");
  const mayEdit = useMay(client, "edit");
  const show = (changes: { [key: string]: string }) => {
    const next = new URLSearchParams(search);
    for (const [key, value] of Object.entries(changes)) next.set(key, value);
    go(`${path}?${next}`, { replace: true });
  };
  return (
    <>
      <header className="shrink-0 bg-surface px-3 py-2">
        <div className="flex flex-wrap items-center gap-2">
          <h1 className="min-w-0 truncate">{oneLine(name, 100)}</h1>
          {new URLSearchParams(search).has("v") && (
            <Link href={workflowAt(client, name)} className="text-accent text-xs">
              current version
            </Link>
          )}
          <span className="hint font-mono">{hash}</span>
          <CopyButton look="bare" label="Copy hash" text={() => hash} />
          <span className="grow" />
          <CopyButton label="Copy command" look="bare" text={() => `uwf workflow show ${name}`} />
          {mayEdit && (
            <Link href={editAt(client, name)} className={buttonClass()}>
              Edit…
            </Link>
          )}
          {may && (
            <Link href={runAt(client, name)} className={buttonClass("main")}>
              Run…
            </Link>
          )}
        </div>
        <p className="mt-0.5 text-dim">{oneLine(descriptor.description, 400)}</p>
      </header>
      <Tabs
        tabs={PARTS.map((tab) =>
          tab.name === "roles"
            ? { ...tab, badge: Object.keys(descriptor.roles).length }
            : tab.name === "versions"
              ? { ...tab, badge: history.length + 1 }
              : tab,
        )}
        chosen={part}
        onChoose={(next) => show({ part: next })}
        label="Parts of the workflow"
      >
        {part === "graph" && (
          <WorkflowGraph
            workflow={workflow}
            onChoose={(chosen) => show({ part: "roles", role: chosen })}
          />
        )}
        {part === "roles" && <Roles workflow={workflow} chosen={role} />}
        {part === "rules" && <Rules descriptor={descriptor} />}
        {part === "versions" && <Versions client={client} workflow={workflow} />}
        {part === "threads" && <ThreadsOf client={client} name={name} />}
        {part === "cost" && <CostOf client={client} name={name} />}
      </Tabs>
    </>
  );
}

const NOTHING = { path: null, step: null, running: [] };

function WorkflowGraph({
  workflow,
  onChoose,
}: {
  workflow: WorkflowDetail;
  onChoose: (role: string) => void;
}) {
  const { descriptor } = workflow;
  const model = useMemo(() => graphOf(descriptor), [descriptor]);
  return (
    <Suspense fallback={<Loading />}>
      <div className="h-full min-h-80">
        <GraphView
          model={model}
          shown={NOTHING}
          focus={null}
          onChoose={(node) => Object.hasOwn(descriptor.roles, node) && onChoose(node)}
        />
      </div>
    </Suspense>
  );
}

function ThreadsOf({ client, name }: { client: string; name: string }) {
  const query = useReply(["threads-of", client, name], (to, signal) =>
    call(to, "listThreads", { client, query: { workflow: name, limit: "25" }, signal }),
  );
  return (
    <div className="p-4">
      <Loaded query={query}>
        {({ threads, next }) =>
          threads.length === 0 ? (
            <Empty title="It has not been run yet" />
          ) : (
            <>
              <DataTable
                label={`Threads of ${name}`}
                rows={threads}
                keyOf={({ threadId }) => threadId}
                columns={[
                  {
                    title: "Status",
                    cell: ({ status, stale }) => <ThreadStatusTag status={status} stale={stale} />,
                  },
                  {
                    title: "Thread",
                    cell: ({ threadId, title }) => (
                      <Link href={threadAt(client, threadId)} className="text-accent">
                        {oneLine(title ?? threadId, 90)}
                      </Link>
                    ),
                  },
                  {
                    title: "Steps",
                    right: true,
                    wideOnly: true,
                    cell: ({ stepCount }) => stepCount,
                  },
                  {
                    title: "Changed",
                    right: true,
                    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
                  },
                ]}
              />
              {next !== null && (
                <p className="mt-2">
                  <Link
                    href={`/c/${encodeURIComponent(client)}/threads?workflow=${encodeURIComponent(name)}`}
                    className="text-accent"
                  >
                    All threads of {name}
                  </Link>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function CostOf({ client, name }: { client: string; name: string }) {
  const query = useReply(["costs", client, "workflow", ""], (to, signal) =>
    call(to, "costs", { client, query: { by: "workflow" }, signal }),
  );
  return (
    <div className="p-4">
      <Loaded query={query}>
        {({ costs }) => {
          const own = costs.find(({ key }) => key === name);
          if (own === undefined) return <Empty title="No run has reported what it used" />;
          const { usage, runs } = own;
          return (
            <p className="flex flex-wrap gap-2">
              <Tag>{runs} runs of agents</Tag>
              <Tag>{count(usage.inputTokens)} input tokens</Tag>
              <Tag>{count(usage.outputTokens)} output tokens</Tag>
              <Tag>{usage.costUsd === null ? "cost not reported" : money(usage.costUsd)}</Tag>
            </p>
          );
        }}
      </Loaded>
    </div>
  );
}
