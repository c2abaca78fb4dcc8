import { useVirtualizer } from "@tanstack/react-virtual";
import { call, type ThreadRow } from "@uncaged/workflow-gateway/contract";
import { THREAD_STATUSES } from "@uncaged/workflow-protocol";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useMay } from "../api/clients.ts";
import { useReply } from "../api/queries.ts";
import { runAt, threadAt } from "../shell/addresses.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { Input, Select } from "../ui/field.tsx";
import { useKeys } from "../ui/keys.ts";
import { Empty, Loading } from "../ui/notice.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { type Filters, filtersIn, listCommand, NO_FILTERS, searchOf } from "./filters.ts";
import { rememberList } from "./last-list.ts";
import { ROW_HEIGHT, Row } from "./row.tsx";
import { useThreads } from "./use-threads.ts";

/** Threads, newest first. What narrows the list stands in the address. */
export function ThreadsPage({ client }: { client: string }) {
  const search = useSearch();
  const filters = useMemo(() => filtersIn(search), [search]);
  const [path, go] = useLocation();
  const narrow = (next: Filters) => {
    const words = searchOf(next);
    go(words === "" ? path : `${path}?${words}`, { replace: true });
  };
  return (
    <>
      <FilterBar client={client} filters={filters} onChange={narrow} />
      <List key={search} client={client} filters={filters} search={search} onChange={narrow} />
    </>
  );
}

function FilterBar({
  client,
  filters,
  onChange,
}: {
  client: string;
  filters: Filters;
  onChange: (filters: Filters) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState(filters.words);
  const workflows = useReply(["workflows", client], (to, signal) =>
    call(to, "listWorkflows", { client, signal }),
  );
  useKeys({ "/": () => box.current?.focus() });
  useEffect(() => setWords(filters.words), [filters.words]);
  useEffect(() => {
    if (words === filters.words) return;
    const timer = setTimeout(() => onChange({ ...filters, words }), 300);
    return () => clearTimeout(timer);
  });
  const names = workflows.data?.workflows.map(({ name }) => name) ?? [];
  const listed =
    filters.workflow !== "" && !names.includes(filters.workflow)
      ? [filters.workflow, ...names]
      : names;
  return (
    <search
      aria-label="Filters"
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-line border-b px-3 py-2"
    >
      <h1 className="sr-only">Threads</h1>
      <Input
        ref={box}
        type="search"
        aria-label="Words in title or prompt"
        placeholder="Words in title or prompt  /"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        className="max-w-60 flex-1 basis-40"
      />
      <Select
        aria-label="Status"
        className="w-auto!"
        value={filters.status ?? ""}
        onChange={(event) =>
          onChange({
            ...filters,
            status: THREAD_STATUSES.find((each) => each === event.target.value) ?? null,
          })
        }
      >
        <option value="">any status</option>
        {THREAD_STATUSES.map((status) => (
          <option key={status}>{status}</option>
        ))}
      </Select>
      <Select
        aria-label="Workflow"
        className="w-auto! max-w-44"
        value={filters.workflow}
        onChange={(event) => onChange({ ...filters, workflow: event.target.value })}
      >
        <option value="">any workflow</option>
        {listed.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <Select
        aria-label="Made"
        className="w-auto!"
        value={filters.hours ?? ""}
        onChange={(event) => onChange({ ...filters, hours: Number(event.target.value) || null })}
      >
        <option value="">any time</option>
        <option value="1">last hour</option>
        <option value="24">last day</option>
        <option value="168">last week</option>
      </Select>
      <LabelBox filters={filters} onChange={onChange} />
      <fieldset className="flex gap-1" aria-label="Quick filters">
        {QUICK.map(({ word, status }) => (
          <Button
            key={word}
            size="small"
            aria-pressed={filters.status === status}
            className="aria-pressed:border-accent aria-pressed:bg-tint"
            onClick={() =>
              onChange({ ...filters, status: filters.status === status ? null : status })
            }
          >
            {word}
          </Button>
        ))}
      </fieldset>
      {searchOf(filters) !== "" && (
        <Button size="small" look="bare" onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
      )}
      <span className="grow" />
      <CopyButton look="bare" label="Copy command" text={() => listCommand(filters)} />
    </search>
  );
}

const QUICK = [
  { word: "Failed", status: "failed" },
  { word: "Running", status: "running" },
  { word: "Waiting", status: "suspended" },
] as const;

function LabelBox({
  filters,
  onChange,
}: {
  filters: Filters;
  onChange: (filters: Filters) => void;
}) {
  const [label, setLabel] = useState(filters.label);
  useEffect(() => setLabel(filters.label), [filters.label]);
  const done = () => {
    if (label !== filters.label) onChange({ ...filters, label });
  };
  return (
    <Input
      aria-label="Label"
      placeholder="label=value"
      value={label}
      onChange={(event) => setLabel(event.target.value)}
      onBlur={done}
      onKeyDown={(event) => event.key === "Enter" && done()}
      className="w-28!"
    />
  );
}

function List({
  client,
  filters,
  search,
  onChange,
}: {
  client: string;
  filters: Filters;
  search: string;
  onChange: (filters: Filters) => void;
}) {
  const { query, rows, more, showMore } = useThreads(client, filters);
  const [, go] = useLocation();
  const [cursor, setCursor] = useState(-1);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const may = useMay(client, "run");
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });

  useEffect(() => {
    rememberList(
      client,
      rows.map(({ threadId }) => threadId),
      search,
    );
  }, [client, rows, search]);

  // Somebody who is at the top and does nothing sees new threads as they come.
  useEffect(() => {
    if (more > 0 && (scroller.current?.scrollTop ?? 0) === 0 && cursor < 0 && chosen.size === 0) {
      showMore();
    }
  }, [more, showMore, cursor, chosen]);

  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setCursor(next);
    virtual.scrollToIndex(next);
  };
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / ROW_HEIGHT) - 1);
  const toggle = (id: string) =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const current = rows[cursor];
  const open = () => current !== undefined && go(threadAt(client, current.threadId));
  useKeys({
    j: () => move(cursor + 1),
    k: () => move(cursor - 1),
    home: () => move(0),
    end: () => move(rows.length - 1),
    pagedown: () => move(cursor + page),
    pageup: () => move(cursor - page),
    x: () => may && current !== undefined && toggle(current.threadId),
    o: open,
    enter: open,
  });

  if (query.isPending) return <Loading />;
  // Only what is shown can be acted upon.
  const named = rows.filter(({ threadId }) => chosen.has(threadId));
  return (
    <>
      {query.error !== null && (
        <div className="p-2">
          <Failure error={query.error} again={() => void query.refetch()} />
        </div>
      )}
      {more > 0 && (
        <div className="border-line border-b bg-tint px-3 py-1">
          <Button size="small" onClick={showMore}>
            Show {more} new {more === 1 ? "thread" : "threads"}
          </Button>
        </div>
      )}
      {rows.length === 0 && query.error === null && (
        <Nothing client={client} filters={filters} onChange={onChange} />
      )}
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" hidden={rows.length === 0}>
        <ul aria-label="Threads" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const thread = rows[index];
            return (
              thread !== undefined && (
                <Row
                  key={thread.threadId}
                  client={client}
                  thread={thread}
                  top={start}
                  current={index === cursor}
                  chosen={chosen.has(thread.threadId)}
                  onToggle={may ? toggle : null}
                />
              )
            );
          })}
        </ul>
        {query.hasNextPage && (
          <div className="p-3 text-center">
            <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {query.isFetchingNextPage ? "Loading…" : "Load older threads"}
            </Button>
          </div>
        )}
      </div>
      {rows.length > 0 && (
        <BulkBar
          client={client}
          shown={rows.length}
          named={named}
          onClear={() => setChosen(new Set())}
          onAll={may ? () => setChosen(new Set(rows.slice(0, 200).map(idOf))) : null}
        />
      )}
    </>
  );
}

const idOf = ({ threadId }: ThreadRow) => threadId;

function Nothing({
  client,
  filters,
  onChange,
}: {
  client: string;
  filters: Filters;
  onChange: (filters: Filters) => void;
}) {
  const [, go] = useLocation();
  if (searchOf(filters) !== "") {
    return (
      <Empty title="No thread passes these filters">
        <Button className="mt-2" onClick={() => onChange(NO_FILTERS)}>
          Clear the filters
        </Button>
      </Empty>
    );
  }
  return (
    <Empty title="There are no threads yet">
      <p>A thread is one run of a workflow.</p>
      <Button look="main" className="mt-3" onClick={() => go(runAt(client))}>
        Run a workflow
      </Button>
    </Empty>
  );
}
