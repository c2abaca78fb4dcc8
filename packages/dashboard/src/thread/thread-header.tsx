import type { ThreadHead, ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { isPersonWait, type Wait } from "@uncaged/workflow-protocol";
import type { RefObject } from "react";
import { Link } from "wouter";
import { useMay } from "../api/clients.ts";
import { AnswerForm } from "../inbox/answer-form.tsx";
import { waitKey } from "../inbox/wait-key.ts";
import { threadAt, threadsAt, workflowAt } from "../shell/addresses.ts";
import { BoundedText } from "../text/bounded-text.tsx";
import { oneLine } from "../text/visible.ts";
import { listSearch } from "../threads/last-list.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Tag, ThreadStatusTag } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import { count, money } from "../ui/times.ts";
import { Verbs } from "./verbs.tsx";

/** What the thread is, how it stands, and what can be done with it; what it asks, with the box for the answer. */
export function ThreadHeader({
  client,
  head,
  index,
  step,
  answerBox,
  later,
  onLater,
}: {
  client: string;
  head: ThreadHead;
  index: ThreadIndex;
  step: number;
  answerBox: RefObject<HTMLDivElement | null>;
  /** The questions that were put off. */
  later: ReadonlySet<string>;
  onLater: (later: ReadonlySet<string>) => void;
}) {
  const title = oneLine(head.title ?? "", 200) || head.threadId;
  const { usage } = head;
  return (
    <header className="shrink-0 border-line border-b bg-surface px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Link
          href={threadsAt(client) + listSearch(client)}
          aria-label="Back to the list"
          className="text-dim no-underline hover:text-ink"
        >
          ←
        </Link>
        <ThreadStatusTag status={head.status} stale={head.stale} />
        <h1 className="min-w-0 flex-1 basis-60 truncate text-base" title={title}>
          {title}
        </h1>
        <Verbs client={client} head={head} stepCount={index.stepCount} step={step} />
      </div>
      <div className="hint mt-1 flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <Link href={workflowAt(client, head.workflow, head.bundleHash)} className="text-accent">
          {head.workflow}
        </Link>
        <span className="flex items-center gap-1">
          <span className="font-mono">…{head.threadId.slice(-6)}</span>
          <CopyButton look="bare" label="Copy id" text={() => head.threadId} />
        </span>
        <span>
          started <Ago at={head.start.timestamp} />
        </span>
        {usage !== null && (
          <span className="tabular">
            {count(usage.inputTokens + usage.outputTokens)} tokens
            {usage.costUsd !== null && `, ${money(usage.costUsd)}`}
          </span>
        )}
        {head.agent !== null && <span>agent {head.agent}</span>}
        {head.parentThread !== null && (
          <Link href={threadAt(client, head.parentThread)} className="text-accent">
            parent thread
          </Link>
        )}
        {head.forkedFrom !== null && (
          <Link href={threadAt(client, head.forkedFrom.threadId)} className="text-accent">
            forked from …{head.forkedFrom.threadId.slice(-6)}
          </Link>
        )}
        {Object.entries(head.labels).map(([key, value]) => (
          <Tag key={key}>{oneLine(`${key}=${value}`, 60)}</Tag>
        ))}
      </div>
      {head.waits.length > 0 && (
        <div ref={answerBox} className="mt-2 max-h-[45vh] space-y-3 overflow-y-auto">
          {head.waits.map((wait) => (
            <Asked
              key={waitKey(wait)}
              client={client}
              threadId={head.threadId}
              wait={wait}
              open={!later.has(waitKey(wait))}
              onOpen={(open) => {
                const rest = [...later].filter((key) => key !== waitKey(wait));
                onLater(new Set(open ? rest : [...rest, waitKey(wait)]));
              }}
            />
          ))}
        </div>
      )}
    </header>
  );
}

function Asked({
  client,
  threadId,
  wait,
  open,
  onOpen,
}: {
  client: string;
  threadId: string;
  wait: Wait;
  open: boolean;
  onOpen: (open: boolean) => void;
}) {
  const may = useMay(client, isPersonWait(wait) ? "answer" : "run");
  return (
    <section
      data-asked
      className="rounded-sm border border-ask/40 bg-ask-tint/40 p-3"
      aria-label={`Question of ${wait.role}`}
    >
      <div className="flex items-start gap-2">
        <h2 className="flex-1 text-ask">
          {isPersonWait(wait) && wait.permission === true
            ? `${wait.role} asks to use a tool`
            : wait.kind === "limit"
              ? "A limit was reached"
              : `${wait.role} waits for you`}
        </h2>
        <Button size="small" look="bare" aria-expanded={open} onClick={() => onOpen(!open)}>
          {open ? "Later" : "Answer"}
        </Button>
      </div>
      {open && (
        <>
          <div className="my-2">
            <BoundedText text={wait.message} name="question" prose />
          </div>
          {may && <AnswerForm client={client} threadId={threadId} wait={wait} />}
        </>
      )}
    </section>
  );
}
