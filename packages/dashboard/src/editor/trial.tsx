import { type CheckedText, call, type DryRunResult } from "@uncaged/workflow-gateway/contract";
import { type JsonObject, SUSPEND, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { Fragment, useEffect, useState } from "react";
import { connection } from "../api/session.ts";
import { collect, type Entered } from "../form/collect.ts";
import { fieldsOf } from "../form/fields.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import type { Shown } from "../graph/lights.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { download } from "../ui/download.ts";
import { Empty, Notice } from "../ui/notice.tsx";
import { trialPath } from "./picture.ts";

/** What the graph shows of a trial. `at`: the node that it has come to. */
export type TrialShown = { descriptor: WorkflowDescriptor; shown: Shown; at: string | null };

type Turn = { role: string; meta: JsonObject };
const STEP_MS = 450;

/** Somebody plays every role, one after the other: nothing runs, and the engine's own rules say what comes next. */
export function Trial({
  client,
  name,
  text,
  checked,
  isAsking,
  onShown,
}: {
  client: string;
  name: string;
  text: string;
  checked: CheckedText | null;
  /** The engine is about to check the text. */
  isAsking: boolean;
  onShown: (shown: TrialShown | null) => void;
}) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [run, setRun] = useState<DryRunResult | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [saved, setSaved] = useState(false);
  const descriptor = checked?.descriptor ?? null;
  useEffect(() => {
    if (descriptor === null) return;
    const given = new AbortController();
    const body = { yaml: text, stubs: stubsOf(turns), prompt: "a trial" };
    call(connection(), "dryRun", { client, body, signal: given.signal }).then(
      (reply) => {
        setFailure(reply.ok ? null : reply.error.message);
        setRun(reply.ok ? reply.value.value : null);
      },
      () => undefined,
    );
    return () => given.abort();
  }, [client, text, turns, descriptor]);
  useEffect(() => () => onShown(null), [onShown]);
  useEffect(() => {
    if (descriptor === null || run === null) return;
    const { path } = trialPath(descriptor, run);
    const end = path.steps.length;
    const at = path.steps.at(-1)?.node ?? null;
    const show = (step: number) => onShown({ descriptor, at, shown: { path, step, running: [] } });
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let step = isStill ? end : Math.max(1, end - 1);
    show(step);
    const timer = setInterval(() => {
      if (step >= end) return clearInterval(timer);
      step += 1;
      show(step);
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [descriptor, run, onShown]);
  if (checked === null) return isAsking && <p className="hint p-4">Checking…</p>;
  if (descriptor === null) {
    return <Empty title="It cannot be tried yet">The faults below have to go first.</Empty>;
  }
  if (failure !== null)
    return (
      <div className="p-4">
        <Notice tone="bad" title={failure} />
      </div>
    );
  if (run === null) return <p className="hint p-4">Trying…</p>;
  const last = run.route.at(-1);
  const next = last !== undefined && last.round !== null && last.stub === null ? last.to : null;
  const role = next === null ? undefined : descriptor.roles[next];
  const { untaken } = trialPath(descriptor, run);
  const save = () => {
    download(`${name}.stubs.json`, `${JSON.stringify(stubsOf(turns), null, 2)}\n`);
    setSaved(true);
  };
  return (
    <div className="p-4">
      <ol className="mb-3 list-decimal pl-6" aria-label="The way so far">
        {numbered(run.route).map(({ at, from, to, condition, prompt, stub }) => (
          // A way only grows at its end, or is begun again.
          <li key={at}>
            <b>{visible(wordFor(to))}</b>{" "}
            <span className="hint">
              after {visible(wordFor(from))}
              {condition === "FALLBACK" ? "" : `, because ${visible(condition)}`}
            </span>
            {prompt !== null && <p className="hint whitespace-pre-wrap">“{visible(prompt)}”</p>}
            {stub !== null && "meta" in stub && (
              <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-2">
                {Object.entries(stub.meta).map(([field, value]) => (
                  <Fragment key={field}>
                    <dt className="hint">{visible(field)}</dt>
                    <dd className="whitespace-pre-wrap">
                      {visible(typeof value === "string" ? value : JSON.stringify(value))}
                    </dd>
                  </Fragment>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ol>
      {next !== null && role !== undefined ? (
        <Play
          key={`${next} ${turns.length}`}
          role={next}
          goal={role.description}
          schema={role.schema}
          onPlayed={(meta) => setTurns([...turns, { role: next, meta }])}
        />
      ) : (
        <Notice tone={run.ok ? "dim" : "bad"} title={endWords(run)}>
          {run.end.kind !== "ended" && visible(run.end.message)}
        </Notice>
      )}
      <div className="my-3 flex flex-wrap gap-2">
        <Button onClick={() => setTurns(turns.slice(0, -1))} disabled={turns.length === 0}>
          One back
        </Button>
        <Button onClick={() => setTurns([])} disabled={turns.length === 0}>
          From the start
        </Button>
        <Button onClick={save} disabled={turns.length === 0}>
          Save as a test…
        </Button>
      </div>
      {saved && (
        <p className="hint mb-3">
          Run the saved file with{" "}
          <code className="font-mono">
            uwf thread run {name} --dry-run --stubs {name}.stubs.json
          </code>
        </p>
      )}
      <h2>Not taken yet</h2>
      {untaken.length === 0 ? (
        <p className="hint">Every arrow has been taken.</p>
      ) : (
        <ul className="list-disc pl-5" aria-label="Arrows not taken">
          {numbered(untaken).map(({ at, from, to, condition }) => (
            <li key={at}>
              {visible(wordFor(from))} → {visible(wordFor(to))}
              {condition === "FALLBACK" ? "" : `: ${visible(condition)}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Play({
  role,
  goal,
  schema,
  onPlayed,
}: {
  role: string;
  goal: string;
  schema: JsonObject;
  onPlayed: (meta: JsonObject) => void;
}) {
  const [entered, setEntered] = useState<Entered>({});
  const [faults, setFaults] = useState<{ [path: string]: string }>({});
  const fields = fieldsOf(schema) ?? [];
  const play = () => {
    const said = collect(fields, entered);
    setFaults(said.faults);
    if (Object.keys(said.faults).length === 0) onPlayed(said.value);
  };
  return (
    <form
      className="rounded-sm border border-line p-3"
      aria-label={`You are ${role}`}
      onSubmit={(event) => {
        event.preventDefault();
        play();
      }}
    >
      <h2>You are {visible(role)}: what do you say?</h2>
      <p className="hint mb-2">{visible(goal)}</p>
      <SchemaForm fields={fields} entered={entered} faults={faults} onChange={setEntered} />
      <Button type="submit" look="main">
        Say it
      </Button>
    </form>
  );
}

function numbered<T extends object>(rows: readonly T[]): (T & { at: number })[] {
  return rows.map((row, at) => ({ ...row, at }));
}

/** For each role what it says, turn by turn: as a file for `--stubs`. */
function stubsOf(turns: readonly Turn[]): JsonObject {
  const stubs = new Map<string, JsonObject[]>();
  for (const { role, meta } of turns) stubs.set(role, [...(stubs.get(role) ?? []), meta]);
  return Object.fromEntries(stubs);
}

function wordFor(node: string): string {
  return WORDS.get(node) ?? node;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["__start__", "the start"],
  ["__end__", "the end"],
  [SUSPEND, "a question to a person"],
]);

function endWords({ end, ok }: DryRunResult): string {
  if (end.kind === "ended") return "It has come to its end";
  return ok ? "It waits for a person's answer" : "It cannot go on";
}
