import { useMutation } from "@tanstack/react-query";
import { call } from "@uncaged/workflow-gateway/contract";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { useAgents } from "../api/agents.ts";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { shellWord } from "../inbox/command-line.ts";
import { draftAt } from "../shell/addresses.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { submitOnModEnter } from "../ui/mod-enter.ts";
import { NoAgent } from "../ui/no-agent.tsx";
import { nameFault } from "./name-fault.ts";
import { NameField } from "./name-field.tsx";

/** An agent drafts a workflow from somebody's own words, in a thread; the editor shows what it asks and drafts. */
export function DescribeWorkflow({
  client,
  names,
}: {
  client: string;
  names: readonly { name: string }[];
}) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [words, setWords] = useState("");
  const [, go] = useLocation();
  const fault = nameFault(name, names);
  const agents = useAgents(client);
  const isReady = name !== "" && fault === null && words.trim() !== "";
  const teach = useMutation({
    mutationFn: async () =>
      replied(await call(connection(), "teach", { client, body: { words: words.trim() } })),
    onSuccess: ({ threadId }) => go(draftAt(client, name, threadId)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !teach.isPending) teach.mutate();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Describe one in your own words…</Button>
      {open && (
        <Dialog title="Describe it in your own words" onClose={() => setOpen(false)}>
          <form onSubmit={submit} onKeyDown={submitOnModEnter}>
            <NameField
              name={name}
              hint="Small letters, digits and -, such as letters."
              fault={fault}
              onName={setName}
            />
            <Field
              label="What happens today"
              hint="Step by step: who does it, and who decides. A sentence is enough to begin."
            >
              {(props) => (
                <TextArea
                  {...props}
                  rows={5}
                  value={words}
                  onChange={(event) => setWords(event.target.value)}
                />
              )}
            </Field>
            <p className="mb-3 text-dim">
              The default agent asks what is not clear, and drafts; the engine checks and tries the
              draft. Nothing is published before you say so.
            </p>
            {agents.data?.defaultAgent === null && (
              <div className="mb-3">
                <NoAgent client={client} />
              </div>
            )}
            {teach.error !== null && <Failure error={teach.error} />}
            <div className="flex flex-wrap gap-2">
              <Button type="submit" look="main" disabled={!isReady || teach.isPending}>
                {teach.isPending ? "Starting…" : "Have it drafted"}
              </Button>
              <CopyButton
                look="bare"
                label="Copy command"
                text={() => `uncaged-workflow teach ${name} --prompt ${shellWord(words.trim())}`}
              />
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
