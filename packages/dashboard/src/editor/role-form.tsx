import {
  addAnswer,
  addApproval,
  addField,
  addRole,
  connect,
  type Edit,
  type FieldForm,
  type FieldKind,
  type Outline,
  type OutlineEdge,
  type OutlineRole,
  placeholder,
  promptInWords,
  removeAnswer,
  removeField,
  removeRole,
  renameAnswer,
  renameRole,
  setField,
  setGoal,
  setPlayer,
  setProcedure,
  setPrompt,
  setTarget,
} from "@uncaged/workflow-editor";
import type { TextFault } from "@uncaged/workflow-gateway/contract";
import type { Failure, Result } from "@uncaged/workflow-protocol";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useAgents } from "../api/agents.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Check, Field, Input, Select, TextArea } from "../ui/field.tsx";
import { NoAgent } from "../ui/no-agent.tsx";
import { Notice } from "../ui/notice.tsx";

type Change = (edit: Result<Edit, Failure>) => boolean;
type Given = { text: string; outline: Outline; change: Change };

/** A role as a form: each control changes its place in the text when it is left. */
export function RoleForm({
  client,
  text,
  outline,
  role,
  faults,
  change,
  choose,
}: Given & {
  client: string;
  role: OutlineRole | null;
  faults: readonly TextFault[];
  choose: (role: string) => void;
}) {
  const isReached = outline.edges.some(
    ({ to, members }) => to === role?.name || members?.roles.includes(role?.name ?? ""),
  );
  return (
    <div className="p-4">
      <div className="mb-3 flex flex-wrap items-end gap-2">
        {outline.roles.length > 0 && (
          <Field label="Role">
            {(props) => (
              <Select
                {...props}
                value={role?.name ?? ""}
                onChange={(event) => choose(event.target.value)}
              >
                {outline.roles.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <NewRole {...{ text, outline, change, choose }} />
      </div>
      {faults.map(({ message }) => (
        <div key={message} className="mb-3">
          <Notice tone="bad" title={visible(message)}>
            {!isReached && "Choose it in the form of the role before it, as what comes next."}
          </Notice>
        </div>
      ))}
      {role !== null && (
        <OneRole key={role.name} {...{ client, text, outline, role, change, choose }} />
      )}
    </div>
  );
}

function NewRole({ text, outline, change, choose }: Given & { choose: (role: string) => void }) {
  const add = (kind: "person" | "agent") => {
    const role = freeName(outline, kind === "person" ? "person" : "role");
    const player = kind === "person" ? ({ kind } as const) : ({ kind, agent: null } as const);
    const goal = kind === "person" ? "Decide" : "Do what is asked for";
    if (change(addRole(text, { role, goal, player, to: "$END" }))) choose(role);
  };
  return (
    <div className="mb-3 flex gap-2">
      <Button onClick={() => add("agent")}>Add a role</Button>
      <Button onClick={() => add("person")}>Add a person</Button>
    </div>
  );
}

function freeName({ roles, edges }: Outline, word: string): string {
  const taken = new Set([...roles.map(({ name }) => name), ...edges.map(({ from }) => from)]);
  let name = word;
  for (let at = 2; taken.has(name); at += 1) name = `${word}-${at}`;
  return name;
}

function OneRole({
  client,
  text,
  outline,
  role,
  change,
  choose,
}: Given & { client: string; role: OutlineRole; choose: (role: string) => void }) {
  const { name, goal, player, procedure } = role;
  const { data } = useAgents(client);
  const rename = (to: string) => {
    const done = change(renameRole(text, { role: name, to }));
    if (done) choose(to);
    return done;
  };
  const chosen =
    player.kind === "person" ? "person" : player.agent === null ? "" : `agent ${player.agent}`;
  const agents = new Set(data?.agents.map((each) => each.name) ?? []);
  if (player.kind === "agent" && player.agent !== null) agents.add(player.agent);
  const steps = typeof procedure === "string" ? procedure : (procedure ?? []).join("\n");
  const setSteps = (typed: string) => {
    const lines = typed.split("\n").filter((line) => line.trim() !== "");
    const value = typed.trim() === "" ? null : typeof procedure === "string" ? typed : lines;
    return change(setProcedure(text, { role: name, procedure: value }));
  };
  return (
    <>
      <Left label="Name" value={name} onLeave={rename} hint="Renamed wherever it is mentioned." />
      <Field label="Who plays">
        {(props) => (
          <Select
            {...props}
            value={chosen}
            onChange={({ target: { value } }) => {
              const agent = value.startsWith("agent ") ? value.slice(6) : null;
              const next =
                value === "person"
                  ? ({ kind: "person" } as const)
                  : ({ kind: "agent", agent } as const);
              change(setPlayer(text, { role: name, player: next }));
            }}
          >
            <option value="">{defaultWords(outline.defaultAgent ?? data?.defaultAgent)}</option>
            <option value="person">a person</option>
            {[...agents].map((agent) => (
              <option key={agent} value={`agent ${agent}`}>
                {visible(agent)} (agent or program)
              </option>
            ))}
          </Select>
        )}
      </Field>
      {chosen === "" && data?.defaultAgent === null && outline.defaultAgent === null && (
        <div className="-mt-1 mb-3">
          <NoAgent client={client} />
        </div>
      )}
      <Left
        long
        label="What it is for"
        value={goal}
        onLeave={(to) => change(setGoal(text, { role: name, goal: to }))}
      />
      {player.kind === "agent" && (
        <Left
          long
          label="How it works, a step a line (may be left out)"
          value={steps}
          onLeave={setSteps}
        />
      )}
      <Answers {...{ text, outline, role, change }} />
      <Fields {...{ text, outline, role, change }} />
      <Button look="danger" onClick={() => change(removeRole(text, { role: name }))}>
        Remove {visible(name)}
      </Button>
    </>
  );
}

/** The default is named as soon as it is known. */
function defaultWords(agent: string | null | undefined): string {
  if (agent === undefined) return "an agent: the default";
  return agent === null ? "an agent: none is set up yet" : `an agent: the default, ${agent}`;
}

const TARGETS = [
  ["$END", "it ends"],
  ["$SUSPEND", "ask a person"],
] as const;

function TargetSelect({
  outline,
  value,
  label,
  onChange,
}: {
  outline: Outline;
  value: string;
  label: string;
  onChange: (to: string) => void;
}) {
  const isKnown =
    TARGETS.some(([to]) => to === value) || outline.roles.some(({ name }) => name === value);
  return (
    <Select
      aria-label={label}
      className="w-auto!"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {!isKnown && <option value={value}>{value === "" ? "nowhere yet" : visible(value)}</option>}
      {outline.roles.map(({ name }) => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      ))}
      {TARGETS.map(([to, word]) => (
        <option key={to} value={to}>
          {word}
        </option>
      ))}
    </Select>
  );
}

/** The answers as a list of choices, each with where it leads and what is told there. */
function Answers({ text, outline, role, change }: Given & { role: OutlineRole }) {
  const { name, answers } = role;
  const [added, setAdded] = useState("");
  const edges = outline.edges.filter(({ from }) => from === name);
  const others = edges.filter(
    (edge) => edge.answers === null || edge.answers.length !== 1 || edge.when !== null,
  );
  const add = () => {
    const answer = added.trim();
    if (answer !== "" && change(addAnswer(text, { role: name, answer, to: "$END" }))) setAdded("");
  };
  return (
    <fieldset className="mb-3 rounded-sm border border-line p-3">
      <legend className="px-1 font-medium">Answers, and what comes next</legend>
      {answers.map((answer) => {
        const edge = edges.find(
          (each) => each.answers?.length === 1 && each.answers[0] === answer && each.when === null,
        );
        return (
          <div key={answer} className="mb-3 border-line border-b pb-2">
            <div className="flex flex-wrap items-center gap-2">
              <span className="min-w-24 flex-1">
                <Left
                  bare
                  label={`Answer ${answer}`}
                  value={answer}
                  onLeave={(to) => change(renameAnswer(text, { role: name, answer, to }))}
                />
              </span>
              <span aria-hidden="true">→</span>
              <TargetSelect
                outline={outline}
                label={`After ${answer}`}
                value={edge?.to ?? ""}
                onChange={(to) =>
                  change(
                    edge === undefined
                      ? connect(text, { from: name, answer, to })
                      : setTarget(text, { edge: edge.path, to }),
                  )
                }
              />
              <Button
                size="small"
                look="bare"
                aria-label={`Remove the answer ${answer}`}
                onClick={() => change(removeAnswer(text, { role: name, answer }))}
              >
                ✕
              </Button>
            </div>
            {edge !== undefined && <Told {...{ text, outline, change, edge }} />}
          </div>
        );
      })}
      {others.map((edge) => (
        <div key={edge.path.join("\n")} className="mb-3 border-line border-b pb-2">
          <div className="flex flex-wrap items-center gap-2">
            <span className="min-w-24 flex-1 text-dim">
              {visible(ruleWords(edge, answers.length > 0))}
            </span>
            <span aria-hidden="true">→</span>
            <TargetSelect
              outline={outline}
              label="What comes next"
              value={edge.to}
              onChange={(to) => change(setTarget(text, { edge: edge.path, to }))}
            />
          </div>
          <Told {...{ text, outline, change, edge }} />
        </div>
      ))}
      {edges.length === 0 && (
        <p className="mb-2">
          Next:{" "}
          <TargetSelect
            outline={outline}
            label="What comes next"
            value=""
            onChange={(to) => change(connect(text, { from: name, answer: null, to }))}
          />
        </p>
      )}
      <div className="flex gap-2">
        <Input
          aria-label="New answer"
          placeholder="New answer, such as approved"
          value={added}
          onChange={(event) => setAdded(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && add()}
        />
        <Button onClick={add} disabled={added.trim() === ""}>
          Add answer
        </Button>
      </div>
    </fieldset>
  );
}

function ruleWords(
  { answers, when, name, outcomes, members }: OutlineEdge,
  hasAnswers: boolean,
): string {
  const parts = [
    ...(answers === null ? [] : [answers.join(" or ")]),
    ...(when === null ? [] : [name ?? when]),
    ...(outcomes === null ? [] : [`ended with ${outcomes.join(" or ")}`]),
    ...(members === null ? [] : [`${members.roles.join(", ")} side by side`]),
  ];
  return parts.length === 0
    ? hasAnswers
      ? "any other answer"
      : "whatever it says"
    : parts.join(", ");
}

/** What the next role is told, with a chip for each field that earlier roles say. */
function Told({ text, outline, change, edge }: Given & { edge: OutlineEdge }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const { typed, setTyped, leave, onKeyDown } = useTyped(edge.prompt ?? "", (prompt) =>
    change(setPrompt(text, { edge: edge.path, prompt: prompt === "" ? null : prompt })),
  );
  const fields = outline.roles.flatMap(({ name, fields: own }) =>
    own.map((field) => ({ role: name, field: field.name })),
  );
  const insert = (role: string, field: string) => {
    const at = box.current?.selectionEnd ?? typed.length;
    const next = `${typed.slice(0, at)}${placeholder(role, field)}${typed.slice(at)}`;
    setTyped(next);
    change(setPrompt(text, { edge: edge.path, prompt: next }));
  };
  if (edge.members !== null) return null;
  const isEnd = edge.to === "$END";
  const isAsking = edge.to === "$SUSPEND";
  const isPerson = outline.roles.some(
    ({ name, player }) => name === edge.to && player.kind === "person",
  );
  const toApproval = () => {
    const question = edge.prompt ?? (isEnd ? "Is it done?" : `May this go on to ${edge.to}?`);
    change(addApproval(text, { edge: edge.path, role: freeName(outline, "approval"), question }));
  };
  const approval = (
    <Button size="small" onClick={toApproval}>
      Ask a person first
    </Button>
  );
  if (isEnd) return <div className="mt-1">{approval}</div>;
  return (
    <details className="mt-1" open={isAsking || edge.prompt !== null}>
      <summary className="hint cursor-pointer">
        {isAsking ? "The question" : `What ${visible(edge.to)} is told`}
      </summary>
      <TextArea
        ref={box}
        aria-label={isAsking ? "The question" : `What ${edge.to} is told`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <p className="hint">{visible(toldHint(typed, edge, isPerson))}</p>
      <div className="mt-1 flex flex-wrap gap-1">
        {fields.map(({ role, field }) => (
          <Button key={`${role} ${field}`} size="small" onClick={() => insert(role, field)}>
            + {visible(role)}: {visible(field)}
          </Button>
        ))}
        {!isAsking && approval}
      </div>
    </details>
  );
}

/** What will be read, with a name for each field; for nothing, what is known without it. */
function toldHint(typed: string, { from, to }: OutlineEdge, isPerson: boolean): string {
  const words = promptInWords(typed, from === "$START" ? "the start" : from);
  if (typed.trim() === "" && to !== "$SUSPEND")
    return isPerson
      ? "Left empty, the person reads what the role is for."
      : "The agent sees the task and every step before in any case. Here goes what else it shall know.";
  return words === typed ? "The buttons put in what an earlier role said." : `Reads: ${words}`;
}

const KINDS: readonly FieldKind[] = [
  "text",
  "number",
  "whole number",
  "yes or no",
  "list of texts",
  "choice",
];

function Fields({ text, role, change }: Given & { role: OutlineRole }) {
  const { name, fields } = role;
  const [added, setAdded] = useState("");
  const add = () => {
    const field: FieldForm = {
      name: added.trim(),
      kind: "text",
      choices: [],
      about: null,
      required: true,
    };
    if (field.name !== "" && change(addField(text, { role: name, field }))) setAdded("");
  };
  return (
    <fieldset className="mb-3 rounded-sm border border-line p-3">
      <legend className="px-1 font-medium">What it says</legend>
      {fields.map((field) => {
        const set = (changes: Partial<FieldForm>) =>
          change(setField(text, { role: name, name: field.name, field: { ...field, ...changes } }));
        return (
          <div key={field.name} className="mb-3 border-line border-b pb-2">
            <div className="flex flex-wrap items-center gap-2">
              <span className="min-w-24 flex-1">
                <Left
                  bare
                  label={`Name of ${field.name}`}
                  value={field.name}
                  onLeave={(to) => set({ name: to.trim() })}
                />
              </span>
              <Select
                aria-label={`Kind of ${field.name}`}
                className="w-auto!"
                value={field.kind}
                onChange={(event) => {
                  const kind = KINDS.find((each) => each === event.target.value);
                  if (kind !== undefined)
                    set({ kind, choices: kind === "choice" ? ["yes", "no"] : [] });
                }}
              >
                {field.kind === "other" && <option value="other">as the text says</option>}
                {KINDS.map((kind) => (
                  <option key={kind}>{kind}</option>
                ))}
              </Select>
              <Button
                size="small"
                look="bare"
                aria-label={`Remove the field ${field.name}`}
                onClick={() => change(removeField(text, { role: name, field: field.name }))}
              >
                ✕
              </Button>
            </div>
            {field.kind === "choice" && (
              <Left
                long
                label="Choices, one a line"
                value={field.choices.join("\n")}
                onLeave={(typed) =>
                  set({
                    choices: typed
                      .split("\n")
                      .map((each) => each.trim())
                      .filter((each) => each !== ""),
                  })
                }
              />
            )}
            <Left
              label="What to put there"
              value={field.about ?? ""}
              onLeave={(about) => set({ about: about === "" ? null : about })}
            />
            <Check checked={field.required} onChange={(required) => set({ required })}>
              always needed
            </Check>
          </div>
        );
      })}
      <div className="flex gap-2">
        <Input
          aria-label="New field"
          placeholder="New field, such as reason"
          value={added}
          onChange={(event) => setAdded(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && add()}
        />
        <Button onClick={add} disabled={added.trim() === ""}>
          Add field
        </Button>
      </div>
    </fieldset>
  );
}

/** What is typed goes into the text when the control is left; what is refused comes back. */
function useTyped(value: string, onLeave: (typed: string) => boolean) {
  const [typed, setTyped] = useState(value);
  const isLeaving = useRef(false);
  useEffect(() => setTyped(value), [value]);
  const leave = () => {
    // What a change does may take the focus away, which leaves the control once more.
    if (typed === value || isLeaving.current) return;
    isLeaving.current = true;
    if (!onLeave(typed)) setTyped(value);
    isLeaving.current = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setTyped(value);
    if (
      event.key === "Enter" &&
      (event.ctrlKey || event.metaKey || event.currentTarget.tagName === "INPUT")
    )
      leave();
  };
  return { typed, setTyped, leave, onKeyDown };
}

function Left({
  label,
  value,
  onLeave,
  hint,
  long = false,
  bare = false,
}: {
  label: string;
  value: string;
  onLeave: (typed: string) => boolean;
  hint?: string;
  long?: boolean;
  bare?: boolean;
}) {
  const { typed, setTyped, leave, onKeyDown } = useTyped(value, onLeave);
  const own = { value: typed, onBlur: leave, onKeyDown };
  if (bare)
    return <Input {...own} aria-label={label} onChange={(event) => setTyped(event.target.value)} />;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(props) =>
        long ? (
          <TextArea {...props} {...own} onChange={(event) => setTyped(event.target.value)} />
        ) : (
          <Input {...props} {...own} onChange={(event) => setTyped(event.target.value)} />
        )
      }
    </Field>
  );
}
