import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "@uncaged/workflow-gateway/contract";
import { limitInWords } from "@uncaged/workflow-protocol";
import { Link } from "wouter";
import { useMay } from "../api/clients.ts";
import { replied, useReply } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { threadAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Failure } from "../ui/failure.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty, Notice } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { Ago } from "../ui/time.tsx";
import { moment } from "../ui/times.ts";
import { Workers } from "./workers.tsx";

/** What waits for room, for what, and since when, in the order of turns; and who runs what does not. */
export function QueuePage({ client }: { client: string }) {
  const queries = useQueryClient();
  const may = useMay(client, "run");
  const query = useReply(["queue", client], (to, signal) => call(to, "queue", { client, signal }), {
    everyMs: 5_000,
  });
  const turn = useMutation({
    mutationFn: async (verb: "pauseQueue" | "resumeQueue") =>
      replied(await call(connection(), verb, { client })),
    onSettled: () => void queries.invalidateQueries({ queryKey: ["queue", client] }),
  });
  const paused = query.data?.pausedSince ?? null;
  return (
    <ScrollView
      title="Queue"
      side={
        <>
          <CopyButton look="bare" label="Copy command" text={() => "uwf queue"} />
          {may && query.data !== undefined && (
            <Button
              disabled={turn.isPending}
              onClick={() => turn.mutate(paused === null ? "pauseQueue" : "resumeQueue")}
            >
              {paused === null ? "Pause the queue" : "Open the queue"}
            </Button>
          )}
        </>
      }
    >
      {turn.error !== null && <Failure error={turn.error} />}
      <Loaded query={query}>
        {({ threads, holds }) => (
          <div className="space-y-3">
            {paused !== null && (
              <Notice tone="warn" title="The queue is closed: nothing starts">
                since <Ago at={paused} />
              </Notice>
            )}
            {holds.map(({ key, agents, untilMs }) => (
              <Notice key={key} tone="warn" title={`${limitInWords(key)} has turned us away`}>
                {agents.join(", ")} wait until {moment(untilMs)}.
              </Notice>
            ))}
            {threads.length === 0 ? (
              <Empty title="Nothing waits">Threads that exceed a limit wait here for room.</Empty>
            ) : (
              <DataTable
                label="Queued threads"
                rows={threads}
                keyOf={({ threadId }) => threadId}
                columns={[
                  {
                    title: "Thread",
                    cell: ({ threadId, title }) => (
                      <Link href={threadAt(client, threadId)} className="text-accent">
                        {oneLine(title ?? threadId, 90)}
                      </Link>
                    ),
                  },
                  { title: "Workflow", wideOnly: true, cell: ({ workflow }) => workflow },
                  {
                    title: "Waits for",
                    cell: ({ queue }) =>
                      queue === null || queue.for.length === 0
                        ? "its turn"
                        : queue.for.map(limitInWords).join(", "),
                  },
                  { title: "Priority", right: true, cell: ({ priority }) => priority },
                  {
                    title: "Since",
                    right: true,
                    cell: ({ queue }) => queue !== null && <Ago at={queue.since} />,
                  },
                  {
                    title: "Not before",
                    right: true,
                    wideOnly: true,
                    cell: ({ queue }) => (queue?.notBefore == null ? "" : moment(queue.notBefore)),
                  },
                ]}
              />
            )}
          </div>
        )}
      </Loaded>
      <h2 className="mt-6 mb-2">Workers</h2>
      <Workers client={client} />
    </ScrollView>
  );
}
