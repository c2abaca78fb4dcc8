import { useQueries, useQueryClient } from "@tanstack/react-query";
import { call, type ThreadRow } from "@uncaged/workflow-gateway/contract";
import { useCallback } from "react";
import { useTopic } from "./live.tsx";
import { replied } from "./queries.ts";
import { connection } from "./session.ts";

const EVERY_MS = 10_000;

export type Waiting = { client: string; thread: ThreadRow };

/** What waits for a person, of several clients; `faults`: clients that did not answer. */
export function useInbox(clients: readonly string[]) {
  const queries = useQueries({
    queries: clients.map((client) => ({
      queryKey: ["inbox", client],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        replied(await call(connection(), "inbox", { client, signal })),
      refetchInterval: EVERY_MS,
    })),
  });
  return {
    loading: queries.some(({ isPending }) => isPending),
    faults: clients.flatMap((client, at) =>
      queries[at]?.error == null ? [] : [{ client, error: queries[at].error }],
    ),
    waiting: clients.flatMap((client, at): Waiting[] =>
      (queries[at]?.data?.threads ?? []).map((thread) => ({ client, thread })),
    ),
  };
}

/** Asks again as soon as the client says that something has changed. */
export function useFreshInbox(client: string): void {
  const queries = useQueryClient();
  const changed = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ["inbox", client] });
  }, [queries, client]);
  useTopic("inbox", changed);
}
