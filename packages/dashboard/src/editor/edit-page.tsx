import {
  type Draft,
  type Edit,
  edited,
  graphOf,
  newDraft,
  type Outline,
  redone,
  undone,
} from "@uncaged/workflow-editor";
import {
  type CallFailure,
  type CheckedText,
  call,
  type Reply,
} from "@uncaged/workflow-gateway/contract";
import { type Failure as OperationFailure, ok, type Result } from "@uncaged/workflow-protocol";
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMay } from "../api/clients.ts";
import { CallFailed, useReply } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import type { Shown } from "../graph/lights.ts";
import { type GraphModel, graphOf as modelOf } from "../graph/model.ts";
import { workflowAt } from "../shell/addresses.ts";
import { holdChanges } from "../shell/leaving.ts";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { lazily } from "../ui/lazily.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Loading, Notice } from "../ui/notice.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { Drafting, type Draftsman } from "./drafting.tsx";
import { FaultList } from "./fault-list.tsx";
import { drawable, roleOfFault } from "./picture.ts";
import { PublishDialog } from "./publish.tsx";
import { RoleForm } from "./role-form.tsx";
import { Sentences } from "./sentences.tsx";
import { STARTER } from "./starter.ts";
import { Trial, type TrialShown } from "./trial.tsx";

const GraphView = lazily(() => import("../graph/graph-view.tsx"), "GraphView");
const TextPane = lazily(() => import("./text-pane.tsx"), "TextPane");

/** What the editor begins with. `hash` null: the name has no version yet. */
type Kept = { hash: string | null; yaml: string | null };
const NO_VERSION: Kept = { hash: null, yaml: null };

type Base = { text: string; hash: string | null };

export function EditPage({ client, name }: { client: string; name: string }) {
  const search = new URLSearchParams(useSearch());
  const thread = search.get("draft");
  const isNew = search.has("new");
  const may = useMay(client, "edit");
  const kept = useReply(
    ["workflow-text", client, name, isNew],
    async (to, signal): Promise<Result<Reply<Kept>, CallFailure>> => {
      if (isNew) return ok({ value: NO_VERSION, etag: null });
      const kept = await call(to, "workflowText", { client, path: { name }, query: {}, signal });
      return kept.ok ? ok({ value: kept.value.value, etag: null }) : kept;
    },
    { fresh: Number.POSITIVE_INFINITY },
  );
  return (
    <Loaded query={kept}>
      {({ hash, yaml }) => {
        if (!isNew && yaml === null) return <IsCode client={client} name={name} />;
        const start = { text: yaml ?? "", hash };
        if (thread === null) {
          return <Editor {...{ client, name, start, may }} text={yaml ?? STARTER} />;
        }
        return (
          <Drafting client={client} name={name} thread={thread}>
            {({ text, round, talk, taken }) => (
              <Editor key={round} {...{ client, name, start, may, text, talk, taken }} />
            )}
          </Drafting>
        );
      }}
    </Loaded>
  );
}

function IsCode({ client, name }: { client: string; name: string }) {
  return (
    <div className="p-4">
      <Notice title={`${oneLine(name, 80)} is written in TypeScript`}>
        <p>
          Only workflows in YAML are edited here.{" "}
          <Link href={workflowAt(client, name)} className="text-accent">
            See its roles and rules
          </Link>
        </p>
      </Notice>
    </div>
  );
}

type Part = "role" | "text" | "words" | "try";

function Editor({
  client,
  name,
  start,
  text,
  may,
  talk,
  taken,
}: {
  client: string;
  name: string;
  start: Base;
  text: string;
  may: boolean;
} & Partial<Pick<Draftsman, "talk" | "taken">>) {
  const [base, setBase] = useState(start);
  const [draft, setDraft] = useState<Draft>(() => newDraft(text));
  // What somebody else has drafted is read first.
  const [part, setPart] = useState<Part>(talk === undefined ? "role" : "words");
  const [refusal, setRefusal] = useState<OperationFailure | null>(null);
  const [publishing, setPublishing] = useState(false);
  const [trial, setTrial] = useState<TrialShown | null>(null);
  const [path, go] = useLocation();
  const search = useSearch();
  const { checked, failure, again } = useChecked(client, draft.text);
  const read = useMemo(() => graphOf(draft.text), [draft.text]);
  const lastRead = useRef<Outline>({
    description: "",
    roles: [],
    edges: [],
    defaultAgent: null,
    onlyText: [],
  });
  if (read.ok) lastRead.current = read.value;
  const outline = lastRead.current;
  const asked = new URLSearchParams(search).get("role");
  const role = outline.roles.find((each) => each.name === asked) ?? outline.roles[0] ?? null;
  const choose = (next: string) => {
    leaveControl();
    const params = new URLSearchParams(search);
    params.set("role", next);
    go(`${path}?${params}`, { replace: true });
    setPart("role");
  };
  const change = (edit: Result<Edit, OperationFailure>): boolean => {
    setRefusal(edit.ok ? null : edit.error);
    if (edit.ok) setDraft((before) => edited(before, edit.value, "operation"));
    return edit.ok;
  };
  const faults = checked?.text === draft.text ? checked.result.faults : [];
  const model = useModel(outline, checked, trial, part);
  const chosen = useMemo(() => chosenIn(role?.name ?? null), [role?.name]);
  const isChanged = draft.text !== base.text;
  const leaving = useLeaving(isChanged);
  useUndoKeys(setDraft);
  return (
    <>
      <header className="flex shrink-0 flex-wrap items-center gap-2 bg-surface px-3 py-2">
        <h1 className="min-w-0 truncate">{oneLine(name, 100)}</h1>
        <span className="hint">
          {base.hash === null ? "not published yet" : isChanged ? "changed" : "as published"}
        </span>
        <span className="grow" />
        <Button onClick={() => setDraft(undone)} disabled={draft.past.length === 0}>
          Undo
        </Button>
        <Button onClick={() => setDraft(redone)} disabled={draft.future.length === 0}>
          Redo
        </Button>
        {may && (
          <Button look="main" onClick={() => setPublishing(true)} disabled={!isChanged}>
            Publish…
          </Button>
        )}
      </header>
      {talk !== undefined && (
        <div className="max-h-[40vh] shrink-0 overflow-y-auto border-line border-b px-3 pb-2">
          {talk(draft.text)}
        </div>
      )}
      {refusal !== null && (
        <div className="px-3 pb-2">
          <Notice tone="warn" title={refusal.message}>
            {refusal.hint}
          </Notice>
        </div>
      )}
      {!read.ok && (
        <div className="px-3 pb-2">
          <Notice tone="bad" title={read.error.message}>
            {read.error.hint}
          </Notice>
        </div>
      )}
      <div className="flex min-h-0 flex-1 flex-col md:flex-row">
        <div className="h-64 shrink-0 border-line border-b md:h-auto md:w-1/2 md:border-r md:border-b-0">
          <Suspense fallback={<Loading />}>
            <GraphView
              model={model}
              shown={part === "try" && trial !== null ? trial.shown : chosen}
              focus={part === "try" ? (trial?.at ?? null) : (role?.name ?? null)}
              onChoose={(node) => outline.roles.some((each) => each.name === node) && choose(node)}
            />
          </Suspense>
        </div>
        <Tabs
          tabs={tabsFor(faults.length)}
          chosen={part}
          onChoose={setPart}
          label="Parts of the editor"
        >
          {part === "role" && (
            <RoleForm
              client={client}
              text={draft.text}
              outline={outline}
              role={role}
              faults={faults.filter((each) => roleOfFault(outline, each) === role?.name)}
              change={change}
              choose={choose}
            />
          )}
          {part === "text" && (
            <Suspense fallback={<Loading />}>
              <TextPane
                text={draft.text}
                faults={faults}
                onEdit={(edit) => setDraft((before) => edited(before, edit, "typed"))}
                onUndo={() => setDraft(undone)}
                onRedo={() => setDraft(redone)}
              />
            </Suspense>
          )}
          {part === "words" && <Sentences outline={outline} />}
          {part === "try" && (
            <Trial
              client={client}
              name={name}
              text={draft.text}
              checked={checked?.text === draft.text ? checked.result : null}
              isAsking={failure === null}
              onShown={setTrial}
            />
          )}
          {failure !== null ? (
            <div className="px-4 py-2">
              <Failure error={failure} again={again} />
            </div>
          ) : (
            part !== "try" && <FaultList faults={faults} unread={checked?.text !== draft.text} />
          )}
        </Tabs>
      </div>
      {publishing && (
        <PublishDialog
          client={client}
          name={name}
          base={base}
          text={draft.text}
          faults={faults}
          onClose={() => setPublishing(false)}
          onPublished={(hash) => {
            setBase({ text: draft.text, hash });
            taken?.();
          }}
        />
      )}
      {leaving}
    </>
  );
}

/** What is being typed goes into the text. A click on the graph takes no focus away, and the form goes with its role. */
function leaveControl(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)
    activeElement.blur();
}

/** The role of the form, where the graph shows the step that is looked at. */
function chosenIn(role: string | null): Shown {
  if (role === null) return { path: null, step: null, running: [] };
  const path = {
    nodes: new Map<string, number>(),
    edges: new Map<string, number>(),
    visits: new Map<string, number>(),
    steps: [{ node: role, edge: null }],
  };
  return { path, step: 1, running: [] };
}

function tabsFor(faults: number): Tab<Part>[] {
  return [
    { name: "role", label: "Form" },
    { name: "text", label: "Text", badge: faults === 0 ? null : faults },
    { name: "words", label: "In words" },
    { name: "try", label: "Try" },
  ];
}

type Checked = { text: string; result: CheckedText };

type Asked = {
  /** The last answer, of this text or one before; null: none yet. */
  checked: Checked | null;
  /** Why this text got no answer; null: it got one, or it is on its way. */
  failure: CallFailed | null;
  again: () => void;
};

/** What the engine's own compiler says, shortly after the last change. */
function useChecked(client: string, text: string): Asked {
  const [checked, setChecked] = useState<Checked | null>(null);
  const [failure, setFailure] = useState<CallFailed | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new try asks the same again.
  useEffect(() => {
    setFailure(null);
    const given = new AbortController();
    const timer = setTimeout(() => {
      const ask = call(connection(), "checkWorkflow", {
        client,
        body: { yaml: text },
        signal: given.signal,
      });
      ask.then(
        (reply) => {
          if (given.signal.aborted) return;
          if (reply.ok) setChecked({ text, result: reply.value.value });
          else setFailure(new CallFailed(reply.error));
        },
        // An aborted call has a newer one behind it.
        () => undefined,
      );
    }, 350);
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [client, text, tries]);
  return { checked, failure, again: () => setTries((before) => before + 1) };
}

/** Keeps its identity while nothing that is drawn changes. */
function useModel(
  outline: Outline,
  checked: Checked | null,
  trial: TrialShown | null,
  part: Part,
): GraphModel {
  const descriptor = part === "try" && trial !== null ? trial.descriptor : null;
  const marks = new Map<string, string>();
  for (const fault of checked?.result.faults ?? []) {
    const role = roleOfFault(outline, fault);
    if (role !== null && fault.level === "fault") marks.set(role, fault.message);
  }
  const drawn = modelOf(descriptor ?? drawable(outline));
  const model: GraphModel = {
    edges: drawn.edges,
    nodes: drawn.nodes.map((node) => {
      const fault = marks.get(node.id);
      return fault === undefined ? node : { ...node, title: `✕ ${node.title}`, more: fault };
    }),
  };
  const key = JSON.stringify(model);
  const kept = useRef({ key, model });
  if (kept.current.key !== key) kept.current = { key, model };
  return kept.current.model;
}

/** What is not published is gone when the view is: nobody leaves it without being asked. */
function useLeaving(isChanged: boolean): ReactNode {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    const letGo = holdChanges((leave) => setLeave(() => leave));
    return () => {
      window.removeEventListener("beforeunload", warn);
      letGo();
    };
  }, [isChanged]);
  if (leave === null) return null;
  return (
    <Dialog title="Leave without publishing?" onClose={() => setLeave(null)}>
      <p className="mb-3">What you changed is only on this page. When you leave it, it is lost.</p>
      <div className="flex justify-end gap-2">
        <Button look="main" onClick={() => setLeave(null)}>
          Stay
        </Button>
        <Button look="danger" onClick={leave}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
}

/** One stack for graph, forms and text. In a control, the browser's own undo comes first. */
function useUndoKeys(setDraft: (change: (draft: Draft) => Draft) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      if (
        event.target instanceof HTMLElement &&
        /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      )
        return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      setDraft(key === "y" || event.shiftKey ? redone : undone);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [setDraft]);
}
