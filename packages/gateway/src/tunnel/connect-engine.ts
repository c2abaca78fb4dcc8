/** An engine's end of the tunnel: it connects out, and answers the calls that come in.
 *
 *  `connected → waiting → connecting → connected`, for as long as it is wanted; or `refused`, when trying again would
 *  change nothing. */
import { randomUUID } from "node:crypto";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { type Failure, failure } from "@uncaged/workflow-protocol";
import { WebSocket } from "ws";
import type { Scope } from "../contract/shapes.ts";
import { overSocket } from "./over-socket.ts";
import {
  MAX_HEADER_PAIRS,
  MAX_MESSAGE_BYTES,
  MAX_STREAMS,
  SESSION_WINDOW_BYTES,
  STREAM_WINDOW_BYTES,
  SUBPROTOCOL,
} from "./tunnel-limits.ts";
import { watchSilence } from "./watch-silence.ts";

export type EngineState =
  | { state: "connecting" }
  | { state: "connected" }
  | { state: "waiting"; why: string; retryInMs: number }
  | { state: "refused"; failure: Failure };

type Http2Handler = NonNullable<Parameters<typeof createServer>[1]>;

export type EngineConnection = {
  /** `http://127.0.0.1:4747`. */
  gateway: string;
  token: string;
  /** Null: the name that the token is for. */
  name: string | null;
  version: string;
  allow: readonly Exclude<Scope, "engine">[];
  /** Answers a call. */
  handler: Http2Handler;
  onState: (state: EngineState) => void;
  signal: AbortSignal;
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const HANDSHAKE_MS = 10_000;

/** Resolves when the signal aborts, or the gateway refuses the engine for good. */
export async function connectEngine(connection: EngineConnection): Promise<void> {
  const { signal, onState } = connection;
  const instance = randomUUID();
  const server = tunnelServer(connection.handler);
  let tries = 0;
  while (!signal.aborted) {
    onState({ state: "connecting" });
    const ended = await oneConnection(connection, instance, server, () => {
      tries = 0;
      onState({ state: "connected" });
    });
    if (signal.aborted) return;
    if (ended.kind === "refused") return onState({ state: "refused", failure: ended.failure });
    tries += 1;
    const retryInMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
    onState({ state: "waiting", why: ended.why, retryInMs });
    await pause(retryInMs, signal);
  }
}

function tunnelServer(handler: Http2Handler): Http2Server {
  return createServer(
    {
      maxHeaderListPairs: MAX_HEADER_PAIRS,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxConcurrentStreams: MAX_STREAMS },
    },
    handler,
  );
}

type Ended = { kind: "broken"; why: string } | { kind: "refused"; failure: Failure };

function oneConnection(
  { gateway, token, name, version, allow, signal }: EngineConnection,
  instance: string,
  server: Http2Server,
  onOpen: () => void,
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const socket = new WebSocket(`${gateway.replace(/^http/, "ws")}/engine`, SUBPROTOCOL, {
    headers: {
      authorization: `Bearer ${token}`,
      "x-uwf-instance": instance,
      "x-uwf-version": version,
      "x-uwf-allow": allow.join(" "),
      ...(name === null ? {} : { "x-uwf-name": name }),
    },
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    followRedirects: false,
    // A mask protects old proxies on the way from bytes that a web page chose. This end is no browser, and what leaves
    // a machine is encrypted; masking was a tenth of what a call costs.
    generateMask: (mask) => mask.fill(0),
  });
  let session: ServerHttp2Session | null = null;
  const end = (ended: Ended): void => {
    signal.removeEventListener("abort", abort);
    // Before its stream closes: what it still had to write would meet a stream that is gone, which Node does not expect.
    session?.destroy();
    socket.terminate();
    resolve(ended);
  };
  const abort = (): void => end({ kind: "broken", why: "ended" });
  signal.addEventListener("abort", abort);
  socket.on("unexpected-response", (_request, response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => {
      if (chunks.length < 16) chunks.push(chunk);
    });
    response.on("end", () => end(refusedBy(response.statusCode ?? 0, Buffer.concat(chunks))));
    response.on("error", () => end({ kind: "broken", why: "the answer broke off" }));
  });
  socket.on("error", (error) => end({ kind: "broken", why: error.message }));
  socket.on("close", () => end({ kind: "broken", why: "the connection ended" }));
  socket.on("open", () => {
    onOpen();
    const silence = watchSilence(() => end({ kind: "broken", why: "the gateway is silent" }));
    server.once("session", (opened: ServerHttp2Session) => {
      session = opened;
      session.setLocalWindowSize(SESSION_WINDOW_BYTES);
      session.on("ping", silence.heard);
      session.on("error", () => undefined);
      session.on("close", () => end({ kind: "broken", why: "the connection ended" }));
    });
    void promise.then(silence.close);
    server.emit("connection", overSocket(socket));
  });
  return promise;
}

/** What trying again does not change; anything else may pass. */
const LASTING = [400, 401, 403, 404, 421];

function refusedBy(status: number, body: Buffer): Ended {
  const said = messageIn(body) ?? `the gateway answered ${status}`;
  if (!LASTING.includes(status)) return { kind: "broken", why: said };
  return {
    kind: "refused",
    failure: failure(
      "ACCESS_DENIED",
      `the gateway refuses this engine: ${said}`,
      "check the address, the token and the name; a token is made with: uncaged-workflow gateway token add <name> --engine",
    ),
  };
}

function messageIn(body: Buffer): string | null {
  try {
    const { error } = JSON.parse(body.toString("utf8"));
    return typeof error.message === "string" ? error.message.slice(0, 300) : null;
  } catch {
    return null;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve());
  return promise.finally(() => clearTimeout(timer));
}
