import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { isFinal, isPersonWait, type PersonWait } from "@uncaged/workflow-protocol";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { replied, useReply } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { AnswerForm } from "../inbox/answer-form.tsx";
import { threadAt } from "../shell/addresses.ts";
import { BoundedText } from "../text/bounded-text.tsx";
import { oneLine, visible } from "../text/visible.ts";
import { headKey, headQuery } from "../thread/thread-queries.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { draftIn } from "./draft-in.ts";

/** How often a thread that drafts is asked what has become of it. */
const LOOK_EVERY_MS = 1_500;

export type Draftsman = {
  /** The newest draft. */
  text: string;
  /** Changes with each draft. */
  round: number;
  /** What the thread does or asks, to be shown above the draft. `text`: as it is in the editor now. */
  talk: (text: string) => ReactNode;
  /** Tells the thread that its draft was taken. */
  taken: () => void;
};

/** A thread of the workflow `author` beside the editor: what it asks, and what it has drafted. The engine's check of a
 *  draft is asked for from here, so that it goes on wherever somebody looks. */
export function Drafting({
  client,
  name,
  thread,
  children,
}: {
  client: string;
  name: string;
  thread: string;
  children: (draft: Draftsman) => ReactNode;
}) {
  const head = useQuery({ ...headQuery(client, thread), refetchInterval: LOOK_EVERY_MS });
  return (
    <Loaded query={head}>
      {(found) => (
        <Drafted client={client} name={name} head={found}>
          {children}
        </Drafted>
      )}
    </Loaded>
  );
}

function Drafted({
  client,
  name,
  head,
  children,
}: {
  client: string;
  name: string;
  head: ThreadHead;
  children: (draft: Draftsman) => ReactNode;
}) {
  const { threadId: id, stepCount } = head;
  const queries = useQueryClient();
  const wait = head.waits.find(isPersonWait) ?? null;
  const look = () => void queries.invalidateQueries({ queryKey: headKey(client, id) });
  const check = useMutation({
    mutationFn: async () =>
      replied(await call(connection(), "checkDraft", { client, path: { id } })),
    onSettled: look,
  });
  const isToCheck = wait?.role === "checker";
  const { mutate } = check;
  // Each draft once: a new one has another number of steps.
  useEffect(() => {
    if (isToCheck && stepCount > 0) mutate();
  }, [isToCheck, stepCount, mutate]);
  const answer = useMutation({
    mutationFn: async (meta: { status: string; wish: string }) =>
      replied(await call(connection(), "answerThread", { client, path: { id }, body: { meta } })),
    onSettled: look,
  });
  const draft = useReply(
    ["drafted", client, id, stepCount],
    (to, signal) => draftIn(to, { client, thread: id, signal }),
    { enabled: stepCount > 0, fresh: Number.POSITIVE_INFINITY },
  );
  const [shown, setShown] = useState<{ text: string; round: number } | null>(null);
  const found = draft.data;
  useEffect(() => {
    if (found === undefined || found === null) return;
    setShown((now) => (now?.round === found.round ? now : found));
  }, [found]);
  const talk = (text: string): ReactNode => (
    <Talk
      {...{ client, head, wait }}
      isDrafted={shown !== null}
      error={check.error ?? answer.error ?? draft.error}
      busy={answer.isPending}
      onWish={(wish) => answer.mutate({ status: "change", wish: wishOf(wish, text, shown?.text) })}
      again={() => (isToCheck ? mutate() : look())}
    />
  );
  if (shown === null) {
    return (
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-3xl p-4">
          <h1 className="mb-2">{oneLine(name, 100)}</h1>
          <p className="mb-4 text-dim">{visible(head.start.prompt.slice(0, 2_000))}</p>
          {talk("")}
        </div>
      </div>
    );
  }
  const taken = () => wait?.role === "owner" && answer.mutate({ status: "good", wish: "" });
  return children({ ...shown, talk, taken });
}

/** What somebody has changed by hand is not in the thread. */
function wishOf(wish: string, text: string, drafted: string | undefined): string {
  if (text === drafted) return wish;
  return `${wish}\n\nI have changed some of it myself. Begin from this text:\n\n${text}`;
}

function Talk({
  client,
  head,
  wait,
  isDrafted,
  error,
  busy,
  onWish,
  again,
}: {
  client: string;
  head: ThreadHead;
  wait: PersonWait | null;
  isDrafted: boolean;
  error: unknown;
  busy: boolean;
  onWish: (wish: string) => void;
  again: () => void;
}) {
  const { threadId, status } = head;
  const link = (
    <Link href={threadAt(client, threadId)} className="text-accent">
      See the thread
    </Link>
  );
  if (error !== null && error !== undefined) return <Failure error={error} again={again} />;
  if (status === "completed") return null;
  if (isFinal(status) || (wait === null && status !== "running" && status !== "queued")) {
    return (
      <Notice tone="warn" title="No agent drafts any more">
        {head.result === null ? `The thread is ${status}.` : visible(head.result.summary)} {link}
        {isDrafted
          ? "; what it has drafted so far can be changed and published here."
          : ", or begin with New workflow… in place of it."}
      </Notice>
    );
  }
  if (wait === null || wait.role === "checker") {
    return (
      <p role="status" className="text-dim">
        {wait === null ? "An agent is at work…" : "The engine checks and tries the draft…"} {link}
      </p>
    );
  }
  if (wait.role === "owner") return <Wish said={wait.message} busy={busy} onWish={onWish} />;
  return (
    <section aria-label="A question" className="rounded-md border border-line bg-surface p-3">
      <div className="mb-2 text-base">
        <BoundedText text={wait.message} name="question" prose />
      </div>
      <AnswerForm
        key={`${wait.role} ${wait.since}`}
        {...{ client, threadId, wait }}
        onAnswered={again}
      />
    </section>
  );
}

/** What is different from the draft is said in a sentence, or changed below by hand. */
function Wish({
  said,
  busy,
  onWish,
}: {
  said: string;
  busy: boolean;
  onWish: (wish: string) => void;
}) {
  const [wish, setWish] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wish.trim() !== "" && !busy) onWish(wish.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 grow">
        <Field
          label="What shall be different?"
          hint="A sentence to the agent. Or change it below yourself, and publish it when it is good."
        >
          {(props) => (
            <TextArea
              {...props}
              rows={1}
              value={wish}
              onChange={(event) => setWish(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" disabled={busy || wish.trim() === ""} className="mb-3">
        {busy ? "Sending…" : "Have it changed"}
      </Button>
      <details className="w-full text-sm">
        <summary className="cursor-pointer text-dim">What the engine says of the draft</summary>
        <BoundedText text={said} name="check" prose />
      </details>
    </form>
  );
}
