import { QueryCache, QueryClient, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { CallFailure, Connection, Reply } from "@uncaged/workflow-gateway/contract";
import type { Result } from "@uncaged/workflow-protocol";
import { connection } from "./session.ts";

/** A call that did not succeed, with what the gateway or the engine said. */
export class CallFailed extends Error {
  readonly failure: CallFailure;
  constructor(failure: CallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What is worth asking again: nobody answered, or the client is on its way back. */
const PASSING = [0, 502, 503, 504];

export function makeQueries(onLoggedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof CallFailed && error.failure.status === 401) onLoggedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (tries, error) =>
          tries < 2 && error instanceof CallFailed && PASSING.includes(error.failure.status),
        retryDelay: (tries) => 400 * 2 ** tries,
      },
    },
  });
}

type Ask<T> = (to: Connection, signal: AbortSignal) => Promise<Result<Reply<T>, CallFailure>>;

/** What an endpoint says, kept under `key`. */
export function replyQuery<T>(key: readonly unknown[], ask: Ask<T>, fresh?: number): ReplyQuery<T> {
  return {
    queryKey: key,
    queryFn: async ({ signal }) => replied(await ask(connection(), signal)),
    ...(fresh === undefined ? {} : { staleTime: fresh }),
  };
}

export type ReplyQuery<T> = {
  queryKey: readonly unknown[];
  queryFn: (context: { signal: AbortSignal }) => Promise<T>;
  staleTime?: number;
};

/** The same in a view. Nothing of another key is ever shown while it loads. */
export function useReply<T>(
  key: readonly unknown[],
  ask: Ask<T>,
  { everyMs, enabled = true, fresh }: { everyMs?: number; enabled?: boolean; fresh?: number } = {},
): UseQueryResult<T> {
  return useQuery({
    ...replyQuery(key, ask, fresh),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** The value of a reply; throws `CallFailed`, as queries and mutations want it. */
export function replied<T>(reply: Result<Reply<T>, CallFailure>): T {
  if (!reply.ok) throw new CallFailed(reply.error);
  return reply.value.value;
}
