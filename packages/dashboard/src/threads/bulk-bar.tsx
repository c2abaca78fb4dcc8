import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Bulk, call, type ThreadRow } from "@uncaged/workflow-gateway/contract";
import { useState } from "react";
import { useLocation } from "wouter";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { compareAt, raceAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { ThreadStatusTag } from "../ui/status.tsx";
import { allows } from "./allows.ts";

type Verb = Bulk["verb"];

const VERBS: readonly { verb: Verb; word: string; says: string }[] = [
  { verb: "pause", word: "Pause", says: "They rest after the step that is under way." },
  { verb: "resume", word: "Resume", says: "They go on where they stopped." },
  { verb: "stop", word: "Stop", says: "Their runners end now; the threads can be resumed." },
  { verb: "kill", word: "Kill", says: "They are aborted for good." },
];

/** What can be done with several threads: with those that are listed by name, and no others. */
export function BulkBar({
  client,
  shown,
  named,
  onClear,
  onAll,
}: {
  client: string;
  shown: number;
  named: readonly ThreadRow[];
  onClear: () => void;
  onAll: (() => void) | null;
}) {
  const [asked, setAsked] = useState<{ verb: Verb; threads: readonly ThreadRow[] } | null>(null);
  const [, go] = useLocation();
  const [a, b] = named;
  return (
    <footer className="flex min-h-9 shrink-0 flex-wrap items-center gap-1.5 border-line border-t bg-surface px-3 py-1">
      <span className="hint tabular" role="status">
        {named.length === 0 ? `${shown} shown` : `${named.length} of ${shown} chosen`}
      </span>
      {named.length === 0 && onAll !== null && (
        <Button size="small" look="bare" onClick={onAll}>
          Choose all shown
        </Button>
      )}
      {named.length > 0 && (
        <>
          {VERBS.map(({ verb, word }) => (
            <Button
              key={verb}
              size="small"
              look={verb === "kill" ? "danger" : "plain"}
              onClick={() => setAsked({ verb, threads: named })}
            >
              {word}…
            </Button>
          ))}
          {a !== undefined && b !== undefined && named.length === 2 && (
            <Button size="small" onClick={() => go(compareAt(client, a.threadId, b.threadId))}>
              Compare
            </Button>
          )}
          {named.length >= 2 && (
            <Button
              size="small"
              onClick={() =>
                go(
                  raceAt(
                    client,
                    named.map(({ threadId }) => threadId),
                  ),
                )
              }
            >
              Side by side
            </Button>
          )}
          <Button size="small" look="bare" onClick={onClear}>
            Choose none
          </Button>
        </>
      )}
      {asked !== null && (
        <BulkDialog client={client} {...asked} onClose={() => setAsked(null)} onDone={onClear} />
      )}
    </footer>
  );
}

function BulkDialog({
  client,
  verb,
  threads,
  onClose,
  onDone,
}: {
  client: string;
  verb: Verb;
  threads: readonly ThreadRow[];
  onClose: () => void;
  onDone: () => void;
}) {
  const queries = useQueryClient();
  const { word, says } = VERBS.find((each) => each.verb === verb) ??
    VERBS[0] ?? { word: verb, says: "" };
  const able = threads.filter((thread) => allows(verb, thread));
  const others = threads.length - able.length;
  const act = useMutation({
    mutationFn: async () => {
      const body = { verb, threadIds: able.map(({ threadId }) => threadId) };
      return replied(await call(connection(), "steerThreads", { client, body }));
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ["threads", client] }),
  });
  const failed = (act.data?.threads ?? []).flatMap((each) =>
    "error" in each ? [{ threadId: each.threadId, ...each.error }] : [],
  );
  const close = () => {
    if (act.isSuccess) onDone();
    onClose();
  };
  const many = `${able.length} ${able.length === 1 ? "thread" : "threads"}`;
  return (
    <Dialog title={`${word} ${many}`} onClose={close}>
      {act.isSuccess ? (
        <div role="status">
          <p>
            {able.length - failed.length} of {able.length} done.
          </p>
          <ul className="mt-2 space-y-1">
            {failed.map(({ threadId, message, code }) => (
              <li key={threadId} className="text-bad">
                ✕ <span className="font-mono text-xs">{threadId}</span> {message}{" "}
                <span className="hint">{code}</span>
              </li>
            ))}
          </ul>
          <Button className="mt-3" onClick={close}>
            Close
          </Button>
        </div>
      ) : (
        <>
          <p>{says}</p>
          {others > 0 && (
            <p className="mt-1 text-warn">
              {others} of those chosen {others === 1 ? "is" : "are"} left out: not possible as{" "}
              {others === 1 ? "it stands" : "they stand"}.
            </p>
          )}
          <ul className="my-3 max-h-72 divide-y divide-line overflow-y-auto rounded-sm border border-line">
            {able.map((thread) => (
              <li key={thread.threadId} className="flex items-center gap-2 px-2 py-1">
                <ThreadStatusTag status={thread.status} stale={thread.stale} />
                <span className="min-w-0 flex-1 truncate">
                  {oneLine(thread.title ?? thread.threadId, 90)}
                </span>
                <span className="hint font-mono">{thread.threadId.slice(-6)}</span>
              </li>
            ))}
          </ul>
          {act.error !== null && <Failure error={act.error} />}
          <div className="mt-3 flex gap-2">
            <Button
              look={verb === "kill" ? "danger" : "main"}
              disabled={act.isPending || able.length === 0}
              onClick={() => act.mutate()}
            >
              {act.isPending ? "Working…" : `${word} ${many}`}
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
