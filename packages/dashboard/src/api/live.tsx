import {
  type FollowState,
  followEvents,
  type ServerEvent,
} from "@uncaged/workflow-gateway/contract";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { connection } from "./session.ts";

type Listener = (event: ServerEvent) => void;

/** The one stream of this tab: who wants which topic, and how the stream stands. */
type Live = {
  state: FollowState["state"] | "closed";
  listen: (topic: string, listener: Listener) => () => void;
};

const LiveContext = createContext<Live>({ state: "closed", listen: () => () => undefined });

/** One stream for a visible tab, with all topics that its parts want; none while nobody looks. A browser opens six
 *  connections to a server, and other tabs need theirs. */
export function LiveProvider({ client, children }: { client: string; children: ReactNode }) {
  const [state, setState] = useState<Live["state"]>("closed");
  const [topics, setTopics] = useState("");
  const visible = useVisible();
  const { listeners, listen } = useMemo(() => listenersOf(setTopics), []);

  useEffect(() => {
    if (!visible || topics === "") return;
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async () => {
      const wanted = topics.split(",");
      const onState = (next: FollowState) => setState(next.state);
      const events = followEvents(connection(), { client, topics: wanted, signal, onState });
      for await (const event of events) {
        if (event.type === "ready") {
          for (const each of [...listeners.values()].flatMap((set) => [...set])) each(event);
          continue;
        }
        for (const each of listeners.get(event.topic) ?? []) each(event);
      }
    };
    void follow();
    return () => {
      controller.abort();
      setState("closed");
    };
  }, [client, topics, visible, listeners]);

  const live = useMemo(() => ({ state, listen }), [state, listen]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function listenersOf(onTopics: (topics: string) => void) {
  const listeners = new Map<string, Set<Listener>>();
  const listen = (topic: string, listener: Listener) => {
    const set = listeners.get(topic) ?? new Set();
    listeners.set(topic, set.add(listener));
    onTopics([...listeners.keys()].sort().join(","));
    return () => {
      set.delete(listener);
      if (set.size > 0) return;
      listeners.delete(topic);
      // A page that is changed for another wants much the same topics: one change of the stream for both.
      setTimeout(() => onTopics([...listeners.keys()].sort().join(",")), 50);
    };
  };
  return { listeners, listen };
}

/** Calls `listener` with what is said about `topic`, and with `ready` when a stream has begun: what happened before
 *  that is only in the store. It has to keep its identity. */
export function useTopic(topic: string | null, listener: Listener): void {
  const { listen } = useContext(LiveContext);
  useEffect(
    () => (topic === null ? undefined : listen(topic, listener)),
    [listen, topic, listener],
  );
}

export function useLiveState(): Live["state"] {
  return useContext(LiveContext).state;
}

function useVisible(): boolean {
  const [visible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return visible;
}
