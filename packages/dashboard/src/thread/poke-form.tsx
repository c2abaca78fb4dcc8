import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { type FormEvent, useState } from "react";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { shellWord } from "../inbox/command-line.ts";
import { AgentSelect } from "../ui/agent-select.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { submitOnModEnter } from "../ui/mod-enter.ts";
import { headKey } from "./thread-queries.ts";

/** Runs the last step again with something more said to it. */
export function PokeForm({
  client,
  head,
  onUndo,
  onDone,
}: {
  client: string;
  head: ThreadHead;
  onUndo: () => void;
  onDone: () => void;
}) {
  const { threadId: id } = head;
  const queries = useQueryClient();
  const [prompt, setPrompt] = useState("");
  const [agent, setAgent] = useState("");
  const [tried, setTried] = useState(false);
  const empty = prompt.trim() === "";
  const poke = useMutation({
    mutationFn: async () => {
      const body = { prompt, ...(agent === "" ? {} : { agent }) };
      const options = { client, path: { id }, body, ifMatch: head.head };
      return replied(await call(connection(), "pokeThread", options));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: headKey(client, id) });
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!empty && !poke.isPending) poke.mutate();
  };
  return (
    <form onSubmit={submit} onKeyDown={submitOnModEnter}>
      <p className="mb-3">
        The same role plays again; its new step takes the place of the last one.
      </p>
      <Field label="What to tell it" fault={tried && empty ? "this is needed" : undefined}>
        {(props) => (
          <TextArea
            {...props}
            rows={4}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
        )}
      </Field>
      <AgentSelect client={client} agent={agent} onChange={setAgent} empty="the same as before" />
      {poke.error !== null && <Failure error={poke.error} />}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button look="main" type="submit" disabled={poke.isPending}>
          {poke.isPending ? "Starting…" : "Poke"}
        </Button>
        <Button onClick={onUndo}>Undo the last poke</Button>
        <CopyButton
          look="bare"
          label="Copy command"
          text={() =>
            `uwf thread poke ${id} -p ${shellWord(prompt)}${agent === "" ? "" : ` --agent ${shellWord(agent)}`}`
          }
        />
      </div>
    </form>
  );
}
