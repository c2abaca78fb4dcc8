import { useMutation } from "@tanstack/react-query";
import { call, type StartThread } from "@uncaged/workflow-gateway/contract";
import { type FormEvent, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useAgents } from "../api/agents.ts";
import { useClient, useMay } from "../api/clients.ts";
import { freshKey } from "../api/idempotency-key.ts";
import { replied, useReply } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { threadAt, workflowsAt } from "../shell/addresses.ts";
import { LimitFields } from "../thread/limit-fields.tsx";
import { NO_TYPED, typedLimits } from "../thread/limits.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field, Input, Select, TextArea } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { submitOnModEnter } from "../ui/mod-enter.ts";
import { NoAgent } from "../ui/no-agent.tsx";
import { Empty, Notice } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { useWorkflow } from "../workflow/use-workflow.ts";
import { labelsIn } from "./labels.ts";
import { runCommand } from "./run-command.ts";

/** Starts a thread. An address fills the form in; only a person sends it. */
export function RunPage({ client }: { client: string }) {
  const may = useMay(client, "run");
  const query = useReply(["workflows", client], (to, signal) =>
    call(to, "listWorkflows", { client, signal }),
  );
  return (
    <ScrollView title="Run a workflow">
      <Loaded query={query}>
        {({ workflows }) =>
          workflows.length === 0 ? (
            <Empty title="There is no workflow yet">
              Make one under{" "}
              <Link href={workflowsAt(client)} className="text-accent">
                Workflows
              </Link>
              .
            </Empty>
          ) : may ? (
            <RunForm client={client} names={workflows.map(({ name }) => name)} />
          ) : (
            <Notice title="Your session may look, and not start threads" />
          )
        }
      </Loaded>
    </ScrollView>
  );
}

type Typed = {
  workflow: string;
  prompt: string;
  cwd: string;
  title: string;
  labels: string;
  priority: string;
  when: "background" | "idle" | "queue";
};

function RunForm({ client, names }: { client: string; names: readonly string[] }) {
  const given = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  // Decided at each look: a workflow that was published just now comes with the next list.
  const asked = names.find((name) => name === given.get("wf"));
  const [chosen, setChosen] = useState<string | null>(null);
  const workflow = chosen ?? asked ?? (names.length === 1 ? (names[0] ?? "") : "");
  const [others, setOthers] = useState<Omit<Typed, "workflow">>({
    prompt: given.get("prompt") ?? "",
    cwd: given.get("cwd") ?? "",
    title: "",
    labels: "",
    priority: "",
    when: "background",
  });
  const set = (change: Partial<typeof others>) => setOthers({ ...others, ...change });
  const typed: Typed = { workflow, ...others };
  const [bounds, setBounds] = useState(NO_TYPED);
  const [tried, setTried] = useState(false);
  const [key] = useState(freshKey);
  const about = useReply(["about", client], (to, signal) => call(to, "about", { client, signal }), {
    fresh: 60_000,
  });
  const gone = useClient(client)?.state === "gone";

  const { limits, faults: limitFaults } = typedLimits(bounds);
  const faults = faultsIn(typed);
  const body = bodyOf(typed, limits);
  const start = useMutation({
    mutationFn: async () =>
      replied(await call(connection(), "startThread", { client, body, idempotencyKey: key })),
    onSuccess: ({ threadId }) => go(threadAt(client, threadId)),
  });
  const faulty = Object.values({ ...faults, ...limitFaults }).some((fault) => fault !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!faulty && !start.isPending) start.mutate();
  };
  const shown: Faults = tried ? faults : { cwd: faults.cwd, labels: faults.labels };
  return (
    <form onSubmit={submit} onKeyDown={submitOnModEnter} className="max-w-2xl">
      {gone && (
        <div className="mb-3">
          <Notice tone="warn" title={`${client} is not connected now`} />
        </div>
      )}
      <Field label="Workflow" fault={shown.workflow}>
        {(props) => (
          <Select {...props} value={workflow} onChange={(event) => setChosen(event.target.value)}>
            <option value="">choose…</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      {workflow !== "" && <Players client={client} name={workflow} />}
      <Field label="Prompt" fault={shown.prompt} hint="What is to be done, in your own words.">
        {(props) => (
          <TextArea
            {...props}
            rows={7}
            value={typed.prompt}
            onChange={(event) => set({ prompt: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Folder"
        fault={shown.cwd}
        hint={
          about.data === undefined
            ? undefined
            : `Where the agents work, on ${client}. Left empty: ${about.data.cwd}`
        }
      >
        {(props) => (
          <Input
            {...props}
            className="font-mono"
            spellCheck={false}
            value={typed.cwd}
            onChange={(event) => set({ cwd: event.target.value })}
          />
        )}
      </Field>
      <details className="mb-4 rounded-md border border-line bg-surface p-3">
        <summary className="font-medium">More: title, labels, limits, priority</summary>
        <div className="mt-3">
          <Field label="Title" hint="Left empty: the first line of the prompt.">
            {(props) => (
              <Input
                {...props}
                value={typed.title}
                onChange={(event) => set({ title: event.target.value })}
              />
            )}
          </Field>
          <Field label="Labels" fault={shown.labels} hint="team=web, keep=yes">
            {(props) => (
              <Input
                {...props}
                value={typed.labels}
                onChange={(event) => set({ labels: event.target.value })}
              />
            )}
          </Field>
          <h3 className="mb-1">Limits; what is left empty is as the workflow says</h3>
          <LimitFields typed={bounds} faults={tried ? limitFaults : {}} onChange={setBounds} />
          <Field
            label="Priority"
            fault={shown.priority}
            hint="Of queued threads, the highest starts first."
          >
            {(props) => (
              <Input
                {...props}
                inputMode="numeric"
                value={typed.priority}
                onChange={(event) => set({ priority: event.target.value })}
              />
            )}
          </Field>
          <Field label="Start">
            {(props) => (
              <Select
                {...props}
                value={typed.when}
                onChange={({ target: { value } }) =>
                  set({ when: value === "idle" || value === "queue" ? value : "background" })
                }
              >
                <option value="background">now</option>
                <option value="queue">when the queue has room</option>
                <option value="idle">later, by hand</option>
              </Select>
            )}
          </Field>
        </div>
      </details>
      {start.error !== null && (
        <div className="mb-3">
          <Failure error={start.error} />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button look="main" type="submit" disabled={start.isPending}>
          {start.isPending ? "Starting…" : "Run"} <kbd className="text-xs">⌘↵</kbd>
        </Button>
        <CopyButton look="bare" label="Copy command" text={() => runCommand(body)} />
      </div>
    </form>
  );
}

type Faults = { [name in keyof Typed]?: string | undefined };

function faultsIn({ workflow, prompt, cwd, labels, priority }: Typed): Faults {
  return {
    workflow: workflow === "" ? "choose one" : undefined,
    prompt: prompt.trim() === "" ? "say what is to be done" : undefined,
    cwd:
      cwd !== "" && !/^(\/|[A-Za-z]:[\\/])/.test(cwd) ? "this has to be a whole path" : undefined,
    labels: labelsIn(labels).fault,
    priority: /^-?\d*$/.test(priority.trim()) ? undefined : "this has to be a whole number",
  };
}

function bodyOf(typed: Typed, limits: NonNullable<StartThread["limits"]>): StartThread {
  const { labels } = labelsIn(typed.labels);
  return {
    workflow: typed.workflow,
    prompt: typed.prompt,
    ...(typed.cwd.trim() === "" ? {} : { cwd: typed.cwd.trim() }),
    ...(typed.title.trim() === "" ? {} : { title: typed.title.trim() }),
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(typed.priority.trim() === "" ? {} : { priority: Number(typed.priority) }),
    run: typed.when === "queue" ? { notBefore: null } : typed.when,
  };
}

/** Who will play, before anything is started. */
function Players({ client, name }: { client: string; name: string }) {
  const { data } = useWorkflow(client, name);
  const agents = useAgents(client);
  if (data === undefined) return null;
  const players = Object.entries(data.descriptor.roles).map(
    ([role, { person }]) =>
      `${role}: ${person === undefined ? (data.players[role]?.agent ?? "as the workflow binds") : "a person"}`,
  );
  const isAlone = Object.entries(data.descriptor.roles).some(
    ([role, { person }]) => person === undefined && data.players[role]?.agent === null,
  );
  return (
    <>
      <p className="hint -mt-1 mb-3">{players.join(" · ")}</p>
      {isAlone && agents.data?.agents.length === 0 && (
        <div className="mb-3">
          <NoAgent client={client} />
        </div>
      )}
    </>
  );
}
