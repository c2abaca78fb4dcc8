import { useMutation } from "@tanstack/react-query";
import { call, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { useAgents } from "../api/agents.ts";
import { freshKey } from "../api/idempotency-key.ts";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { shellWord } from "../inbox/command-line.ts";
import { raceAt } from "../shell/addresses.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Check } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";

/** One fork for each agent, from the same step; then they are shown side by side. */
export function RaceForm({
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
  const { data, error } = useAgents(client);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [files, setFiles] = useState(true);
  const [key] = useState(freshKey);
  const race = useMutation({
    mutationFn: async () => {
      const body = { from: { step }, agents: [...chosen], ...(files ? { files } : {}) };
      // Sent again after a fault, those that were started are found; other agents are another race.
      const idempotencyKey = `${key}-${chosen.join("-")}`;
      const options = { client, path: { id }, body, idempotencyKey };
      return replied(await call(connection(), "raceThread", options));
    },
    onSuccess: ({ contenders }) =>
      go(
        raceAt(
          client,
          contenders.map(({ threadId }) => threadId),
        ),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen.length > 1 && !race.isPending) race.mutate();
  };
  const agents = data?.agents ?? [];
  return (
    <form onSubmit={submit}>
      <p className="mb-3">Each agent goes on from here in a fork of its own.</p>
      {error !== null && <Failure error={error} />}
      {data !== undefined && agents.length === 0 && (
        <Notice title="No agents are configured">
          Name some in workflow.yaml, or run <code className="font-mono">uwf setup</code>.
        </Notice>
      )}
      <fieldset className="mb-3">
        <legend className="mb-1 font-medium">Agents</legend>
        {agents.map(({ name }) => (
          <Check
            key={name}
            checked={chosen.includes(name)}
            onChange={(on) =>
              setChosen(on ? [...chosen, name] : chosen.filter((each) => each !== name))
            }
          >
            {name}
          </Check>
        ))}
      </fieldset>
      <Check checked={files} onChange={setFiles}>
        Each in a git worktree of its own, with the files of that step
      </Check>
      {race.error !== null && <Failure error={race.error} />}
      <div className="mt-3 flex gap-2">
        <Button look="main" type="submit" disabled={race.isPending || chosen.length < 2}>
          {race.isPending ? "Starting…" : `Race ${chosen.length}`}
        </Button>
        <CopyButton
          look="bare"
          label="Copy command"
          text={() =>
            [
              `uwf thread race ${id} --from-step ${step}`,
              ...chosen.map((name) => `--agent ${shellWord(name)}`),
            ].join(" ")
          }
        />
      </div>
    </form>
  );
}
