import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ServerEvent, ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { isFinal, type LiveEvent } from "@uncaged/workflow-protocol";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTopic } from "../api/live.tsx";
import { heard, type LiveSteps } from "./live-steps.ts";
import { withCompleted } from "./steps.ts";
import { headQuery, indexQuery } from "./thread-queries.ts";

/** Events are shown together this often, however many come. */
const GATHER_MS = 80;
/** After steps that the stream told of, the store is asked again when it is quiet, and this often when it is not. */
const QUIET_MS = 600;
const AT_LEAST_MS = 5_000;

/** A thread as it is now: its head, the columns of all its steps, and what its steps under way say. The store is the
 *  truth: what the stream says is shown until it has been asked again. */
export function useThread(client: string, id: string) {
  const queries = useQueryClient();
  const [headOf, indexOf] = useMemo(
    () => [headQuery(client, id), indexQuery(client, id)],
    [client, id],
  );
  const { queryKey: headKey } = headOf;
  const { queryKey: indexKey } = indexOf;
  const head = useQuery({ ...headOf, refetchInterval: 15_000 });
  const index = useQuery(indexOf);
  const [live, setLive] = useState<LiveSteps>([]);
  const gathered = useRef<LiveEvent[]>([]);
  const timers = useRef<{ show?: Timer; ask?: Timer; askedAt: number }>({ askedAt: 0 });

  const askStore = useCallback(() => {
    timers.current.askedAt = Date.now();
    timers.current.ask = undefined;
    void queries.invalidateQueries({ queryKey: headKey });
    void queries.invalidateQueries({ queryKey: indexKey });
  }, [queries, headKey, indexKey]);

  const show = useCallback(() => {
    timers.current.show = undefined;
    const events = gathered.current.splice(0);
    setLive((now) => heard(now, events));
    const completed = events.filter((event) => event.type === "step_completed");
    if (completed.length > 0) {
      queries.setQueryData<ThreadIndex>(indexKey, (now) => now && withCompleted(now, completed));
    }
    const matters = events.some(({ type }) => type !== "agent");
    if (!matters) return;
    if (Date.now() - timers.current.askedAt > AT_LEAST_MS) {
      clearTimeout(timers.current.ask);
      askStore();
      return;
    }
    clearTimeout(timers.current.ask);
    timers.current.ask = setTimeout(askStore, QUIET_MS);
  }, [queries, indexKey, askStore]);

  const hear = useCallback(
    (event: ServerEvent) => {
      if (event.type === "reset") {
        setLive([]);
        askStore();
      }
      // A head that differs leads to new columns, below.
      if (event.type === "ready") void queries.invalidateQueries({ queryKey: headKey });
      if (event.type !== "live") return;
      gathered.current.push(event.item);
      timers.current.show ??= setTimeout(show, GATHER_MS);
    },
    [show, askStore, queries, headKey],
  );
  useTopic(`thread:${id}`, hear);
  useEffect(
    () => () => {
      clearTimeout(timers.current.show);
      clearTimeout(timers.current.ask);
    },
    [],
  );
  // The head may be ahead of the columns: it was asked later, or is asked without any stream.
  const behind =
    head.data !== undefined && index.data !== undefined && head.data.head !== index.data.head;
  const stepCount = head.data?.stepCount ?? 0;
  useEffect(() => {
    if (behind && stepCount >= 0) void queries.invalidateQueries({ queryKey: indexKey });
  }, [behind, stepCount, queries, indexKey]);
  const over = head.data !== undefined && isFinal(head.data.status);
  return { head, index, live: over ? NONE : live };
}

type Timer = ReturnType<typeof setTimeout> | undefined;
const NONE: LiveSteps = [];
