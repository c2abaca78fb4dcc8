import { isPersonWait } from "@uncaged/workflow-protocol";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { useMay } from "../api/clients.ts";
import { useInbox, type Waiting } from "../api/inbox.ts";
import { threadAt } from "../shell/addresses.ts";
import { BoundedText } from "../text/bounded-text.tsx";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { useKeys } from "../ui/keys.ts";
import { Empty, Loading } from "../ui/notice.tsx";
import { useRowKeys } from "../ui/row-keys.ts";
import { Status, Tag } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import { useWorkflow } from "../workflow/use-workflow.ts";
import { AnswerForm } from "./answer-form.tsx";
import { BeforeIt } from "./before-it.tsx";
import { focusAnswer } from "./focus-answer.ts";
import { waitKey } from "./wait-key.ts";

/** Everything that waits for a person: what went before above the answer. `inside`: below other parts of a view. */
export function Inbox({
  clients,
  inside = false,
}: {
  clients: readonly string[];
  inside?: boolean;
}) {
  const { loading, faults, waiting } = useInbox(clients);
  const view = useRef<HTMLDivElement>(null);
  // Below other parts of a view, the view has the keys of all of them.
  useRowKeys(inside ? NONE : view);
  useKeys({ r: () => focusAnswer(view.current) });
  const body = (
    <div ref={view} className="mx-auto w-full max-w-5xl p-4">
      <h1 className="mb-2">
        {inside ? "Waits for a person" : "Inbox"}{" "}
        {waiting.length > 0 && <span className="text-dim tabular">{waiting.length}</span>}
      </h1>
      {faults.map(({ client, error }) => (
        <div key={client} className="mb-2">
          <p className="hint">{client}</p>
          <Failure error={error} />
        </div>
      ))}
      {loading && waiting.length === 0 && <Loading />}
      {!loading && waiting.length === 0 && faults.length === 0 && (
        <Empty title="Nobody waits for you">
          When a workflow asks a person, or an agent asks before it uses a tool, it is asked here.
        </Empty>
      )}
      <ul className="space-y-3">
        {waiting.flatMap((entry) =>
          entry.thread.waits.map((wait) => (
            <li key={`${entry.client} ${entry.thread.threadId} ${waitKey(wait)}`} data-row>
              <Question entry={entry} wait={wait} named={clients.length > 1} />
            </li>
          )),
        )}
      </ul>
    </div>
  );
  return inside ? body : <div className="min-h-0 flex-1 overflow-y-auto">{body}</div>;
}

const NONE = { current: null };

type AnyWait = Waiting["thread"]["waits"][number];

function Question({
  entry: { client, thread },
  wait,
  named,
}: {
  entry: Waiting;
  wait: AnyWait;
  named: boolean;
}) {
  const [before, setBefore] = useState(false);
  const may = useMay(client, isPersonWait(wait) ? "answer" : "run");
  return (
    <article
      data-asked
      className="rounded-md border border-line bg-surface"
      aria-label={`Question of ${wait.role}`}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b px-3 py-2">
        <Status status="suspended" word={kindOf(wait)} />
        <Link
          href={threadAt(client, thread.threadId)}
          className="min-w-0 truncate font-medium text-accent"
        >
          {oneLine(thread.title ?? thread.threadId)}
        </Link>
        <span className="hint">
          {thread.workflow} · {wait.role}
          {isPersonWait(wait) && wait.member !== undefined && ` #${wait.member}`}
          {named && ` · ${client}`}
        </span>
        <span className="grow" />
        <span className="hint">
          {isPersonWait(wait) ? (
            <>
              asked <Ago at={wait.since} />
              {wait.deadline !== null && (
                <>
                  , until <Until at={wait.deadline} />
                </>
              )}
            </>
          ) : (
            <Ago at={thread.updatedAt} />
          )}
        </span>
      </header>
      <div className="p-3">
        {isPersonWait(wait) && wait.assignees.length > 0 && (
          <p className="mb-2 flex flex-wrap gap-1">
            {wait.assignees.map((name) => (
              <Tag key={name}>{name}</Tag>
            ))}
          </p>
        )}
        <Button size="small" look="bare" aria-expanded={before} onClick={() => setBefore(!before)}>
          {before ? "▾" : "▸"} What went before
        </Button>
        {before && (
          <BeforeIt client={client} threadId={thread.threadId} stepCount={thread.stepCount} />
        )}
        {isPersonWait(wait) && wait.permission !== true && (
          <Goal client={client} thread={thread} role={wait.role} message={wait.message} />
        )}
        <div className="my-2 text-base">
          <BoundedText text={wait.message} name="question" prose />
        </div>
        {may ? (
          <AnswerForm client={client} threadId={thread.threadId} wait={wait} />
        ) : (
          <p className="text-dim">Your session may look, and not answer.</p>
        )}
      </div>
    </article>
  );
}

/** What the person is there for, as the workflow says; left out when it is what is asked. */
function Goal({
  client,
  thread: { workflow, bundleHash },
  role,
  message,
}: {
  client: string;
  thread: Waiting["thread"];
  role: string;
  message: string;
}) {
  const { data } = useWorkflow(client, workflow, bundleHash);
  const goal = data?.descriptor.roles[role]?.description ?? "";
  if (goal === "" || message.includes(goal)) return null;
  return <p className="mt-2 font-medium">{oneLine(goal, 300)}</p>;
}

function kindOf(wait: AnyWait): string {
  if (isPersonWait(wait))
    return wait.permission === true ? "asks to use a tool" : "waits for a person";
  return wait.kind === "limit" ? "reached a limit" : "asks";
}

function Until({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>;
}
