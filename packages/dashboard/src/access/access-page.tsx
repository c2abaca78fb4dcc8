import { call } from "@uncaged/workflow-gateway/contract";
import { useReply } from "../api/queries.ts";
import { oneLine } from "../text/visible.ts";
import { DataTable } from "../ui/data-table.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { Tag } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import { moment } from "../ui/times.ts";

/** Who may do what, who is here, and what was called. */
export function AccessPage() {
  const session = useReply(["session"], (to, signal) => call(to, "session", { signal }));
  const access = useReply(["access"], (to, signal) => call(to, "access", { signal }), {
    everyMs: 10_000,
  });
  return (
    <ScrollView title="Access">
      <Loaded query={session}>
        {({ who, scopes, clients, expiresAt }) => (
          <p className="mb-4">
            You are <strong>{oneLine(who, 60)}</strong>, and may {scopes.join(", ")} on{" "}
            {clients === null ? "all clients" : clients.join(", ")} until {moment(expiresAt)}.
          </p>
        )}
      </Loaded>
      <Loaded query={access}>
        {({ tokens, sessions, audit }) => (
          <div className="space-y-6">
            <section>
              <h2 className="mb-2">Tokens</h2>
              <DataTable
                label="Tokens"
                rows={tokens}
                keyOf={({ id }) => id}
                columns={[
                  { title: "Name", cell: ({ name }) => oneLine(name, 60) },
                  {
                    title: "May",
                    cell: ({ scopes }) => scopes.map((scope) => <Tag key={scope}>{scope}</Tag>),
                  },
                  {
                    title: "Clients",
                    wideOnly: true,
                    cell: ({ clients }) =>
                      clients === null ? "all" : oneLine(clients.join(", "), 80),
                  },
                  {
                    title: "Made",
                    wideOnly: true,
                    cell: ({ createdAt }) => <Ago at={createdAt} />,
                  },
                  {
                    title: "Expires",
                    cell: ({ expiresAt }) => (expiresAt === null ? "never" : moment(expiresAt)),
                  },
                  {
                    title: "Last used",
                    cell: ({ lastUsedAt }) =>
                      lastUsedAt === null ? "never" : <Ago at={lastUsedAt} />,
                  },
                ]}
              />
            </section>
            <section>
              <h2 className="mb-2">Sessions</h2>
              <DataTable
                label="Sessions"
                rows={sessions}
                keyOf={({ who, createdAt }) => `${who} ${createdAt}`}
                columns={[
                  {
                    title: "Who",
                    cell: ({ who, current }) => (
                      <>
                        {oneLine(who, 60)} {current && <Tag tone="good">this one</Tag>}
                      </>
                    ),
                  },
                  { title: "Since", cell: ({ createdAt }) => <Ago at={createdAt} /> },
                  { title: "Last seen", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
                ]}
              />
            </section>
            <section>
              <h2 className="mb-2">Latest calls</h2>
              <DataTable
                label="Latest calls"
                rows={audit.slice(0, 200).map((row, at) => ({ ...row, key: `${row.at} ${at}` }))}
                keyOf={({ key }) => key}
                columns={[
                  { title: "When", cell: ({ at }) => <Ago at={at} /> },
                  { title: "Who", cell: ({ who }) => (who === null ? "nobody" : oneLine(who, 40)) },
                  { title: "Client", wideOnly: true, cell: ({ client }) => client ?? "" },
                  {
                    title: "Call",
                    cell: ({ method, path }) => (
                      <span className="font-mono text-xs">
                        {method} {oneLine(path, 90)}
                      </span>
                    ),
                  },
                  {
                    title: "Answer",
                    right: true,
                    cell: ({ status }) => (
                      <span className={status >= 400 ? "text-bad" : ""}>
                        {status >= 400 && "✕ "}
                        {status}
                      </span>
                    ),
                  },
                ]}
              />
            </section>
          </div>
        )}
      </Loaded>
    </ScrollView>
  );
}
