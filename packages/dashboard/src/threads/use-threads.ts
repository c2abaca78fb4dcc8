import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { call, type ServerEvent, type ThreadPage } from "@uncaged/workflow-gateway/contract";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTopic } from "../api/live.tsx";
import { replied } from "../api/queries.ts";
import { connection } from "../api/session.ts";
import { type Filters, queryOf } from "./filters.ts";
import { changedPages, rowsOf } from "./pages.ts";

/** Changes of a list come in one go this often, however many there are. */
const GATHER_MS = 250;
const PAGE_SIZE = "100";

/** The threads that pass the filters, page by page, kept up to date where they stand. `more`: threads were made that
 *  the list does not have; it is not moved under somebody who reads it. */
export function useThreads(client: string, filters: Filters) {
  const queries = useQueryClient();
  const key = useMemo(() => ["threads", client, filters], [client, filters]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam === null ? {} : { after: pageParam };
      const asked = { ...queryOf(filters, Date.now()), limit: PAGE_SIZE, ...after };
      return replied(await call(connection(), "listThreads", { client, query: asked, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 5_000,
  });
  const [more, setMore] = useState<ReadonlySet<string>>(new Set());
  const gathered = useRef<ServerEvent[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  const apply = useCallback(() => {
    timer.current = null;
    const events = gathered.current.splice(0);
    if (events.some(({ type }) => type === "reset")) {
      void queries.invalidateQueries({ queryKey: key });
      return;
    }
    const data = queries.getQueryData<InfiniteData<ThreadPage, string | null>>(key);
    if (data === undefined) return;
    const { pages, unknown } = changedPages(data.pages, events);
    if (pages !== data.pages) queries.setQueryData(key, { ...data, pages: [...pages] });
    if (unknown.length > 0) setMore((before) => new Set([...before, ...unknown]));
  }, [queries, key]);

  const hear = useCallback(
    (event: ServerEvent) => {
      gathered.current.push(event);
      timer.current ??= setTimeout(apply, GATHER_MS);
    },
    [apply],
  );
  useTopic("threads", hear);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);

  const rows = useMemo(() => rowsOf(query.data?.pages ?? []), [query.data]);
  const showMore = useCallback(() => {
    setMore(new Set());
    void queries.resetQueries({ queryKey: key });
  }, [queries, key]);
  return { query, rows, more: more.size, showMore };
}
