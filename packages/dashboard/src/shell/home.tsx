import { useRef } from "react";
import { Link } from "wouter";
import { useClients } from "../api/clients.ts";
import { Inbox } from "../inbox/inbox.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { useRowKeys } from "../ui/row-keys.ts";
import { Status } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import { runAt, threadsAt, workflowsAt } from "./addresses.ts";

/** All clients, and what waits for a person in any of them. */
export function Home() {
  const query = useClients();
  const view = useRef<HTMLDivElement>(null);
  useRowKeys(view);
  return (
    <div ref={view} className="min-h-0 flex-1 overflow-y-auto">
      <Loaded query={query}>
        {({ clients }) => (
          <div className="mx-auto max-w-5xl p-4">
            <h1 className="mb-2">Clients</h1>
            {clients.length === 0 ? (
              <Empty title="No client is connected">
                On a machine with threads, run{" "}
                <code className="font-mono">uwf connect --gateway {location.origin}</code>
              </Empty>
            ) : (
              <ul className="mb-6 divide-y divide-line rounded-md border border-line bg-surface">
                {clients.map((client) => (
                  <li
                    key={client.name}
                    data-row
                    className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
                  >
                    <Link href={threadsAt(client.name)} className="font-medium text-accent">
                      {client.name}
                    </Link>
                    <Status status={client.state} />
                    <span className="hint">
                      since <Ago at={client.since} />
                    </span>
                    {client.version !== null && (
                      <span className="hint">version {client.version}</span>
                    )}
                    <span className="grow" />
                    <Link href={workflowsAt(client.name)} className="text-accent">
                      Workflows
                    </Link>
                    {client.scopes.includes("run") && (
                      <Link href={runAt(client.name)} className="text-accent">
                        Run
                      </Link>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </Loaded>
      {query.data !== undefined && query.data.clients.length > 0 && (
        <Inbox
          clients={query.data.clients
            .filter(({ state }) => state !== "gone")
            .map(({ name }) => name)}
          inside
        />
      )}
    </div>
  );
}
