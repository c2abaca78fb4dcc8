import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "@uncaged/workflow-gateway/contract";
import { isPersonWait, type JsonObject, type Wait } from "@uncaged/workflow-protocol";
import { type FormEvent, useMemo, useState } from "react";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { collect, type Entered } from "../form/collect.ts";
import { fieldsOf } from "../form/fields.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { LimitForm } from "../thread/limit-form.tsx";
import { headKey } from "../thread/thread-queries.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { submitOnModEnter } from "../ui/mod-enter.ts";
import { answerCommand, shellWord } from "./command-line.ts";

type Props = { client: string; threadId: string; wait: Wait; onAnswered?: () => void };

/** The box in which a person answers, whatever is asked. */
export function AnswerForm(props: Props) {
  return (
    <div data-answer>
      <FormFor {...props} />
    </div>
  );
}

function FormFor(props: Props) {
  if (isPersonWait(props.wait)) return <PersonForm {...props} />;
  if (props.wait.kind === "limit") return <LimitForm {...props} reached={props.wait.limit} />;
  return <QuestionForm {...props} />;
}

function useAnswer({ client, threadId, wait, onAnswered }: Props) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (answer: { meta: JsonObject } | { text: string }) => {
      const path = { id: threadId };
      if ("text" in answer) {
        const body = { answer: answer.text };
        return replied(await call(connection(), "resumeThread", { client, path, body }));
      }
      const member = isPersonWait(wait) ? wait.member : undefined;
      const body = { meta: answer.meta, ...(member === undefined ? {} : { member }) };
      return replied(await call(connection(), "answerThread", { client, path, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["inbox", client] });
      void queries.invalidateQueries({ queryKey: headKey(client, threadId) });
      onAnswered?.();
    },
  });
}

function PersonForm(props: Props) {
  const { threadId, wait } = props;
  const form = isPersonWait(wait) ? wait.form : {};
  const fields = useMemo(() => fieldsOf(form), [form]);
  const [entered, setEntered] = useState<Entered>({});
  const [json, setJson] = useState("");
  const [tried, setTried] = useState(false);
  const answer = useAnswer(props);
  const collected = fields === null ? jsonAnswer(json) : collect(fields, entered);
  const isPermission = isPersonWait(wait) && wait.permission === true;

  const send = (meta: JsonObject) => {
    if (!answer.isPending) answer.mutate({ meta });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(collected.faults).length === 0) send(collected.value);
  };
  if (isPermission) {
    return (
      <PermissionForm
        busy={answer.isPending}
        error={answer.error}
        threadId={threadId}
        onDecide={send}
      />
    );
  }
  const faults = tried ? collected.faults : {};
  const member = isPersonWait(wait) ? wait.member : undefined;
  return (
    <form onSubmit={submit} onKeyDown={submitOnModEnter}>
      {fields === null ? (
        <Field label="Answer, as JSON" fault={faults[""]}>
          {(props) => (
            <TextArea
              {...props}
              className="font-mono"
              value={json}
              onChange={(event) => setJson(event.target.value)}
            />
          )}
        </Field>
      ) : (
        <SchemaForm fields={fields} entered={entered} faults={faults} onChange={setEntered} />
      )}
      <Send busy={answer.isPending} error={answer.error}>
        <CopyButton
          label="Copy command"
          look="bare"
          text={() => answerCommand(threadId, collected.value, member)}
        />
      </Send>
    </form>
  );
}

function PermissionForm({
  busy,
  error,
  threadId,
  onDecide,
}: {
  busy: boolean;
  error: unknown;
  threadId: string;
  onDecide: (meta: JsonObject) => void;
}) {
  const [reason, setReason] = useState("");
  const decide = (allow: boolean) =>
    onDecide({ allow, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) });
  return (
    <div>
      <Field label="Reason (may be left out; the agent is told)">
        {(props) => (
          <TextArea
            {...props}
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {error !== null && error !== undefined && <Failure error={error} />}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button look="main" disabled={busy} onClick={() => decide(true)}>
          Allow
        </Button>
        <Button look="danger" disabled={busy} onClick={() => decide(false)}>
          Refuse
        </Button>
        <CopyButton
          label="Copy command"
          look="bare"
          text={() => answerCommand(threadId, { allow: true })}
        />
      </div>
    </div>
  );
}

function QuestionForm(props: Props) {
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const answer = useAnswer(props);
  const empty = text.trim() === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!empty && !answer.isPending) answer.mutate({ text });
  };
  return (
    <form onSubmit={submit} onKeyDown={submitOnModEnter}>
      <Field
        label={`Answer to ${props.wait.role}`}
        fault={tried && empty ? "an answer is needed" : undefined}
      >
        {(field) => (
          <TextArea
            {...field}
            rows={3}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Send busy={answer.isPending} error={answer.error}>
        <CopyButton
          label="Copy command"
          look="bare"
          text={() => `uwf resume ${props.threadId} -p ${shellWord(text)}`}
        />
      </Send>
    </form>
  );
}

function Send({
  busy,
  error,
  children,
}: {
  busy: boolean;
  error: unknown;
  children: React.ReactNode;
}) {
  return (
    <>
      {error !== null && error !== undefined && <Failure error={error} />}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button look="main" type="submit" disabled={busy}>
          {busy ? "Sending…" : "Answer"} <kbd className="text-xs opacity-80">⌘↵</kbd>
        </Button>
        {children}
      </div>
    </>
  );
}

function jsonAnswer(json: string): { value: JsonObject; faults: { [path: string]: string } } {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { value: value as JsonObject, faults: {} };
    }
  } catch {
    // Said below.
  }
  return { value: {}, faults: { "": "this has to be a JSON object" } };
}
