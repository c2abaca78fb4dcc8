import { useQueries, useQueryClient } from "@tanstack/react-query";
import type { ServerEvent, ThreadHead } from "@uncaged/workflow-gateway/contract";
import { isFinal } from "@uncaged/workflow-protocol";
import { useCallback } from "react";
import { Link, useSearch } from "wouter";
import { useTopic } from "../api/live.tsx";
import { compareAt, threadAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { headKey, headQuery } from "../thread/thread-queries.ts";
import { DataTable } from "../ui/data-table.tsx";
import { Failure } from "../ui/failure.tsx";
import { Empty, Loading } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { ThreadStatusTag } from "../ui/status.tsx";
import { useNow } from "../ui/time.tsx";
import { count, duration, money } from "../ui/times.ts";

const MOST = 20;

/** Several threads in one table, such as the forks of a race: result, cost and time of each. */
export function RacePage({ client }: { client: string }) {
  const given = new URLSearchParams(useSearch()).get("ids") ?? "";
  const ids = [...new Set(given.split(","))].filter((id) => id !== "").slice(0, MOST);
  const queries = useQueryClient();
  const now = useNow();
  const results = useQueries({
    queries: ids.map((id) => ({
      ...headQuery(client, id),
      refetchInterval: 10_000,
    })),
  });
  const hear = useCallback(
    (event: ServerEvent) => {
      if (event.type !== "thread" || !given.includes(event.thread.threadId)) return;
      void queries.invalidateQueries({ queryKey: headKey(client, event.thread.threadId) });
    },
    [queries, client, given],
  );
  useTopic("threads", hear);
  const [first] = ids;
  const heads = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const until = (head: ThreadHead) => (isFinal(head.status) ? head.updatedAt : now);
  if (ids.length === 0) return <Empty title="No threads are named in the address" />;
  return (
    <ScrollView title={`${ids.length} threads side by side`}>
      {results.map(({ error }, at) =>
        error === null ? null : (
          <div key={ids[at]} className="mb-2">
            <Failure error={error} />
          </div>
        ),
      )}
      {heads.length === 0 && results.every(({ error }) => error === null) && <Loading />}
      {heads.length > 0 && (
        <DataTable
          label="Threads side by side"
          rows={heads}
          keyOf={({ threadId }) => threadId}
          columns={[
            {
              title: "Thread",
              cell: (head) => (
                <Link href={threadAt(client, head.threadId)} className="text-accent">
                  {head.agent ?? oneLine(head.title ?? "", 40)}{" "}
                  <span className="font-mono text-xs">…{head.threadId.slice(-6)}</span>
                </Link>
              ),
            },
            {
              title: "Status",
              cell: (head) => <ThreadStatusTag status={head.status} stale={head.stale} />,
            },
            { title: "Steps", right: true, cell: ({ stepCount }) => stepCount },
            { title: "Time", right: true, cell: (head) => duration(until(head) - head.createdAt) },
            {
              title: "Tokens",
              right: true,
              cell: ({ usage }) =>
                usage === null ? "–" : count(usage.inputTokens + usage.outputTokens),
            },
            {
              title: "Cost",
              right: true,
              cell: ({ usage }) => (usage?.costUsd == null ? "–" : money(usage.costUsd)),
            },
            {
              title: "Result",
              wideOnly: true,
              cell: ({ result, activity }) =>
                oneLine(result?.summary ?? activity?.current?.text ?? activity?.role ?? "", 120),
            },
            {
              title: "Compared",
              cell: ({ threadId }) =>
                first === undefined || threadId === first ? (
                  <span className="hint">the first</span>
                ) : (
                  <Link href={compareAt(client, first, threadId)} className="text-accent">
                    with the first
                  </Link>
                ),
            },
          ]}
        />
      )}
    </ScrollView>
  );
}
