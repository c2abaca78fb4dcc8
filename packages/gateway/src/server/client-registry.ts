/** The engines that are connected, each under its name.
 *
 *  1. A name has one connection. The same instance replaces its own, which broke without a word; another one is refused
 *     as long as the first is alive.
 *  2. A connection that does not answer a beat within another is gone, and its calls end. */
import { type ClientHttp2Session, connect } from "node:http2";
import type { WebSocket } from "ws";
import type { ClientState, Scope } from "../contract/shapes.ts";
import { overSocket } from "../tunnel/over-socket.ts";
import {
  BEAT_MS,
  MAX_HEADER_PAIRS,
  MAX_STREAMS,
  SESSION_WINDOW_BYTES,
  STREAM_WINDOW_BYTES,
} from "../tunnel/tunnel-limits.ts";

export type Newcomer = {
  name: string;
  instance: string;
  version: string | null;
  allow: readonly Exclude<Scope, "engine">[];
  /** The token that it was let in with. */
  tokenId: string;
};

export type KnownClient = Newcomer & { state: ClientState; since: number };

export type ClientRegistry = {
  /** Whether the name is free for this instance. */
  mayEnter(newcomer: Pick<Newcomer, "name" | "instance">): boolean;
  enter(newcomer: Newcomer, socket: WebSocket): void;
  /** Null: it is not connected now. */
  session(name: string): ClientHttp2Session | null;
  /** Also one that is gone. */
  find(name: string): KnownClient | null;
  /** Also those that are gone. */
  list(): KnownClient[];
  /** Ends the connections that this does not hold for any more. */
  keep(isAllowed: (client: Newcomer) => boolean): void;
  close(): void;
};

type Entry = KnownClient & { session: ClientHttp2Session; socket: WebSocket };

/** Names that are remembered after they are gone. */
const MOST_KNOWN = 500;

export function clientRegistry(
  now: () => number,
  onChange: (client: KnownClient) => void,
): ClientRegistry {
  const entries = new Map<string, Entry>();
  const move = (entry: Entry, state: ClientState): void => {
    if (entry.state === state) return;
    entry.state = state;
    entry.since = now();
    onChange(known(entry));
  };
  const drop = (entry: Entry): void => {
    entry.session.destroy();
    entry.socket.terminate();
    if (entries.get(entry.name) === entry) move(entry, "gone");
  };
  const alive = (name: string): Entry | null => {
    const entry = entries.get(name);
    return entry === undefined || entry.state === "gone" ? null : entry;
  };
  return {
    mayEnter({ name, instance }) {
      const there = alive(name);
      return there === null || there.instance === instance;
    },
    enter(newcomer, socket) {
      const before = alive(newcomer.name);
      const session = connect("http://engine", {
        createConnection: () => overSocket(socket),
        maxHeaderListPairs: MAX_HEADER_PAIRS,
        settings: {
          enablePush: false,
          initialWindowSize: STREAM_WINDOW_BYTES,
          maxConcurrentStreams: MAX_STREAMS,
        },
      });
      const entry: Entry = { ...newcomer, state: "connected", since: now(), session, socket };
      entries.delete(newcomer.name);
      entries.set(newcomer.name, entry);
      if (before !== null) drop(before);
      forgetOld(entries);
      session.on("connect", () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
      session.on("error", () => drop(entry));
      session.on("close", () => drop(entry));
      socket.on("close", () => drop(entry));
      beat(entry, { move, drop });
      onChange(known(entry));
    },
    session: (name) => {
      const entry = alive(name);
      return entry === null || entry.session.destroyed || entry.session.closed
        ? null
        : entry.session;
    },
    find: (name) => entries.get(name) ?? null,
    list: () => [...entries.values()].map(known),
    keep(isAllowed) {
      for (const entry of entries.values())
        if (entry.state !== "gone" && !isAllowed(entry)) drop(entry);
    },
    close() {
      for (const entry of entries.values()) drop(entry);
    },
  };
}

function beat(
  entry: Entry,
  {
    move,
    drop,
  }: { move: (entry: Entry, state: ClientState) => void; drop: (entry: Entry) => void },
): void {
  let unanswered = false;
  const timer = setInterval(() => {
    if (unanswered) return entry.state === "silent" ? drop(entry) : move(entry, "silent");
    unanswered = true;
    try {
      entry.session.ping((error) => {
        if (error !== null) return;
        unanswered = false;
        if (entry.state === "silent") move(entry, "connected");
      });
    } catch {
      drop(entry);
    }
  }, BEAT_MS).unref();
  entry.session.on("close", () => clearInterval(timer));
}

function known({ session: _session, socket: _socket, ...client }: Entry): KnownClient {
  return client;
}

function forgetOld(entries: Map<string, Entry>): void {
  for (const [name, { state }] of entries) {
    if (entries.size <= MOST_KNOWN) return;
    if (state === "gone") entries.delete(name);
  }
}
