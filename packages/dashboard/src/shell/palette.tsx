import { call } from "@uncaged/workflow-gateway/contract";
import { type KeyboardEvent, useState } from "react";
import { useLocation } from "wouter";
import { useClients } from "../api/clients.ts";
import { useReply } from "../api/queries.ts";
import { oneLine } from "../text/visible.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Input } from "../ui/field.tsx";
import { runAt, threadAt, VIEWS, workflowAt } from "./addresses.ts";

type Entry = { to: string; word: string; kind: string };

const MOST = 30;

/** Goes anywhere by a few letters. */
export function Palette({ client, onClose }: { client: string | null; onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  // Not deferred: Enter right after a letter opens what that letter left.
  const entries = useEntries(client, text.trim());
  const chosen = Math.min(at, entries.length - 1);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    go(entry.to);
  };
  const press = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) setAt(Math.max(0, Math.min(entries.length - 1, chosen + by)));
    else if (event.key === "Enter") open(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Input
        role="combobox"
        aria-label="A view, a workflow, or words of a thread"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[chosen] === undefined ? undefined : `palette-${chosen}`}
        placeholder="A view, a workflow, or words of a thread"
        value={text}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div
        id="palette-list"
        role="listbox"
        aria-label="Places"
        className="mt-2 max-h-80 overflow-y-auto"
      >
        {entries.map((entry, index) => (
          <div
            key={entry.to}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(entry)}
            onKeyDown={press}
            className="flex cursor-pointer gap-2 rounded-sm px-2 py-1 hover:bg-raised aria-selected:bg-tint"
          >
            <span className="min-w-0 flex-1 truncate">{entry.word}</span>
            <span className="hint">{entry.kind}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="px-2 py-4 text-dim">Nothing fits.</p>}
    </Dialog>
  );
}

function useEntries(client: string | null, text: string): Entry[] {
  const clients = useClients().data?.clients ?? [];
  const workflows = useReply(
    ["workflows", client],
    (to, signal) => call(to, "listWorkflows", { client: client ?? "", signal }),
    { enabled: client !== null },
  );
  const threads = useReply(
    ["palette", client, text],
    (to, signal) =>
      call(to, "listThreads", {
        client: client ?? "",
        query: { limit: "12", ...(text === "" ? {} : { q: text }) },
        signal,
      }),
    { enabled: client !== null },
  );
  const fits = ({ word }: Entry) => word.toLowerCase().includes(text.toLowerCase());
  const places: Entry[] = [
    { to: "/", word: "All clients", kind: "view" },
    ...(client === null
      ? []
      : VIEWS.map(({ path, word }) => ({
          to: `/c/${encodeURIComponent(client)}/${path}`,
          word,
          kind: "view",
        }))),
    { to: "/access", word: "Access", kind: "view" },
    ...clients.map(({ name }) => ({
      to: `/c/${encodeURIComponent(name)}/threads`,
      word: name,
      kind: "client",
    })),
  ];
  const names = client === null ? [] : (workflows.data?.workflows ?? []);
  const made = names.flatMap(({ name }): Entry[] => [
    { to: workflowAt(client ?? "", name), word: name, kind: "workflow" },
    { to: runAt(client ?? "", name), word: `Run ${name}`, kind: "run" },
  ]);
  // The engine has already searched these.
  const found = (client === null ? [] : (threads.data?.threads ?? [])).map((thread) => ({
    to: threadAt(client ?? "", thread.threadId),
    word: oneLine(thread.title ?? thread.threadId, 90),
    kind: `${thread.workflow}, ${thread.status}`,
  }));
  return [...[...places, ...made].filter(fits), ...found].slice(0, MOST);
}
