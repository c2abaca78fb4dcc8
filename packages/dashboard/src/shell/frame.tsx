import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useClients } from "../api/clients.ts";
import { useFreshInbox, useInbox } from "../api/inbox.ts";
import { LiveProvider, useLiveState } from "../api/live.tsx";
import { logOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { useKeys } from "../ui/keys.ts";
import { lazily } from "../ui/lazily.ts";
import { Mark } from "../ui/mark.tsx";
import { Status } from "../ui/status.tsx";
import { VIEWS } from "./addresses.ts";

const Help = lazily(() => import("./help.tsx"), "Help");
const Palette = lazily(() => import("./palette.tsx"), "Palette");

/** What surrounds a view of one client, with the one stream of its events. */
export function ClientFrame({
  client,
  onLeave,
  children,
}: {
  client: string;
  onLeave: () => void;
  children: ReactNode;
}) {
  return (
    <LiveProvider client={client}>
      <Frame client={client} onLeave={onLeave}>
        {children}
      </Frame>
    </LiveProvider>
  );
}

export function Frame({
  client,
  onLeave,
  children,
}: {
  client: string | null;
  onLeave: () => void;
  children: ReactNode;
}) {
  const [open, setOpen] = useState<"help" | "palette" | null>(null);
  useKeys({ "?": () => setOpen("help") });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((now) => (now === "palette" ? null : "palette"));
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return (
    <div className="flex h-full flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to the content
      </a>
      <header className="flex h-10 shrink-0 items-center gap-2 border-line border-b bg-surface px-3">
        <Link href="/" aria-label="Overview of all clients" className="flex shrink-0 items-center">
          <Mark />
        </Link>
        <ClientSwitch client={client} />
        {client !== null && <LiveMark />}
        <span className="grow" />
        <Button look="bare" size="small" onClick={() => setOpen("palette")}>
          Go to… <kbd className="hint max-sm:hidden">⌘K</kbd>
        </Button>
        <Button look="bare" size="small" onClick={() => setOpen("help")} aria-label="Help and keys">
          ?
        </Button>
        <Button look="bare" size="small" onClick={() => void logOut().then(onLeave)}>
          Log out
        </Button>
      </header>
      {client !== null && <ViewBar client={client} />}
      <main id="content" tabIndex={-1} className="-outline-offset-2 flex min-h-0 flex-1 flex-col">
        {children}
      </main>
      <Suspense>
        {open === "help" && <Help onClose={() => setOpen(null)} />}
        {open === "palette" && <Palette client={client} onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  );
}

function ClientSwitch({ client }: { client: string | null }) {
  const { data } = useClients();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const known = data?.clients ?? [];
  const names = known.map(({ name }) => name);
  const shown = client !== null && !names.includes(client) ? [client, ...names] : names;
  const state = known.find(({ name }) => name === client)?.state;
  return (
    <>
      <select
        aria-label="Client"
        value={client ?? ""}
        onChange={(event) => {
          void queries.cancelQueries();
          const name = event.target.value;
          go(name === "" ? "/" : `/c/${encodeURIComponent(name)}/threads`);
        }}
        className="h-7 min-w-0 max-w-48 truncate rounded-sm border border-transparent bg-transparent px-1 font-medium hover:border-line"
      >
        <option value="">All clients</option>
        {shown.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {state !== undefined && state !== "connected" && <Status status={state} />}
    </>
  );
}

/** Whether what is shown is kept up to date. */
function LiveMark() {
  const state = useLiveState();
  if (state === "open") {
    return (
      <span className="hint whitespace-nowrap" role="status">
        <span aria-hidden="true" className="text-good">
          ●
        </span>{" "}
        live
      </span>
    );
  }
  if (state === "closed") return null;
  return (
    <span className="whitespace-nowrap text-warn text-xs" role="status">
      {state === "waiting" ? "◌ reconnecting…" : "! no live events"}
    </span>
  );
}

function ViewBar({ client }: { client: string }) {
  const [path] = useLocation();
  useFreshInbox(client);
  const { waiting } = useInbox([client]);
  const base = `/c/${encodeURIComponent(client)}`;
  const here = path.slice(base.length + 1).split("/")[0];
  const bar = useRef<HTMLElement>(null);
  // On a narrow screen the bar is longer than what is seen of it. In the middle, because a count may still come before it.
  useEffect(() => {
    const chosen = bar.current?.querySelector('[aria-current="page"]');
    if (here !== undefined) chosen?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [here]);
  return (
    <nav
      ref={bar}
      aria-label="Views"
      className="flex shrink-0 gap-0.5 overflow-x-auto border-line border-b bg-surface px-2"
    >
      {VIEWS.map((view) => {
        const chosen = here === view.path || (here === "t" && view.path === "threads");
        return (
          <Link
            key={view.path}
            href={`${base}/${view.path}`}
            aria-current={chosen ? "page" : undefined}
            className="-mb-px whitespace-nowrap border-transparent border-b-2 px-2 py-1 text-dim no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {view.word}
            {view.path === "inbox" && waiting.length > 0 && (
              <span className="ml-1 rounded-full bg-ask-tint px-1.5 font-semibold text-ask text-xs">
                {waiting.length}
                <span className="sr-only"> waiting</span>
              </span>
            )}
          </Link>
        );
      })}
      <span className="grow" />
      <Link
        href="/access"
        className="whitespace-nowrap px-2 py-1 text-dim no-underline hover:text-ink"
      >
        Access
      </Link>
    </nav>
  );
}
