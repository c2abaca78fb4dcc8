import { useMutation } from "@tanstack/react-query";
import { call, type ForkThread, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { freshKey } from "../api/idempotency-key.ts";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { shellWord } from "../inbox/command-line.ts";
import { threadAt } from "../shell/addresses.ts";
import { AgentSelect } from "../ui/agent-select.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Check, Field, TextArea } from "../ui/field.tsx";
import { submitOnModEnter } from "../ui/mod-enter.ts";

/** A new thread that has the steps up to here, and goes on otherwise. */
export function ForkForm({
  client,
  head,
  step,
}: {
  client: string;
  head: ThreadHead;
  step: number;
}) {
  const { threadId: id } = head;
  const [, go] = useLocation();
  const [prompt, setPrompt] = useState("");
  const [agent, setAgent] = useState("");
  const [files, setFiles] = useState(false);
  const [idle, setIdle] = useState(false);
  const [key] = useState(freshKey);
  const fork = useMutation({
    mutationFn: async () => {
      const body: ForkThread = {
        from: { step },
        ...(prompt.trim() === "" ? {} : { prompt }),
        ...(agent === "" ? {} : { agent }),
        ...(files ? { files } : {}),
        run: idle ? "idle" : "background",
      };
      const options = { client, path: { id }, body, idempotencyKey: key };
      return replied(await call(connection(), "forkThread", options));
    },
    onSuccess: ({ threadId }) => go(threadAt(client, threadId)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!fork.isPending) fork.mutate();
  };
  return (
    <form onSubmit={submit} onKeyDown={submitOnModEnter}>
      <p className="mb-3">The new thread shares the steps so far; this one stays as it is.</p>
      <Field label="What to tell the next role (may be left out)">
        {(props) => (
          <TextArea
            {...props}
            rows={3}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
        )}
      </Field>
      <AgentSelect client={client} agent={agent} onChange={setAgent} />
      <Check checked={files} onChange={setFiles}>
        With the files of that step, in a git worktree of its own
      </Check>
      <Check checked={idle} onChange={setIdle}>
        Do not run it yet
      </Check>
      {fork.error !== null && <Failure error={fork.error} />}
      <div className="mt-3 flex gap-2">
        <Button look="main" type="submit" disabled={fork.isPending}>
          {fork.isPending ? "Forking…" : "Fork"}
        </Button>
        <CopyButton
          look="bare"
          label="Copy command"
          text={() =>
            [
              `uwf thread fork ${id} --from-step ${step}`,
              ...(prompt.trim() === "" ? [] : [`-p ${shellWord(prompt)}`]),
              ...(agent === "" ? [] : [`--agent ${shellWord(agent)}`]),
              ...(idle ? ["--idle"] : []),
            ].join(" ")
          }
        />
      </div>
    </form>
  );
}
