/** A gateway on a free port with an engine that answers what it was asked, both in this process. */

import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@uncaged/workflow-protocol";
import type { Scope } from "../contract/index.ts";
import { addToken } from "../gate/tokens.ts";
import {
  connectEngine,
  type EngineConnection,
  type EngineState,
} from "../tunnel/connect-engine.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./start-gateway.ts";

export type Lab = {
  gateway: Gateway;
  folder: string;
  files: NonNullable<GatewayOptions["files"]>;
  /** Makes a token. */
  token(name: string, scopes: readonly Scope[], clients?: readonly string[]): string;
  /** Connects an engine; resolves once it is connected. */
  engine(
    token: string,
    more?: Partial<EngineConnection>,
  ): Promise<{ end: () => Promise<void>; states: EngineState[] }>;
  close(): Promise<void>;
};

export async function openLab(opts: Partial<GatewayOptions> = {}): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), "uwf-gateway-"));
  const files = {
    tokens: join(folder, "tokens.json"),
    sessions: join(folder, "sessions.json"),
    audit: join(folder, "audit.ndjson"),
  };
  const gateway = unwrap(
    await startGateway({
      ...{ host: "127.0.0.1", port: 0, publicOrigin: null, tls: null, files },
      ...{ page: join(folder, "page"), openApi: "{}" },
      ...opts,
    }),
  );
  const ends: (() => Promise<void>)[] = [];
  return {
    gateway,
    folder,
    files,
    token: (name, scopes, clients) =>
      unwrap(addToken(files.tokens, { name, scopes, clients: clients ?? null }, Date.now())).token,
    async engine(token, more = {}) {
      const end = new AbortController();
      const states: EngineState[] = [];
      const up = Promise.withResolvers<void>();
      const done = connectEngine({
        ...{ gateway: gateway.origin, token, name: null, version: "1", signal: end.signal },
        allow: ["read", "run", "answer", "edit"],
        handler: echo,
        onState: (state) => {
          states.push(state);
          if (state.state === "connected" || state.state === "refused") up.resolve();
        },
        ...more,
      });
      ends.push(async () => {
        end.abort();
        await done;
      });
      await up.promise;
      return { end: ends.at(-1) ?? (async () => undefined), states };
    },
    async close() {
      for (const end of ends) await end();
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Says what arrived. */
const echo: EngineConnection["handler"] = (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    outgoing.setHeader("content-type", "application/json");
    outgoing.setHeader("set-cookie", "evil=1");
    outgoing.setHeader("x-other", "1");
    outgoing.end(
      JSON.stringify({
        url: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      }),
    );
  });
};

/** Sends these bytes and returns the answer's status; 0: the connection ended without one. */
export async function rawStatus(port: number, text: string): Promise<number> {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(await raw(port, text))?.[1] ?? 0);
}

/** Sends these bytes and returns what comes back, at least the head. */
export function raw(port: number, text: string | Buffer): Promise<string> {
  return exchanged(port, text, /\r\n\r\n/);
}

/** Sends these bytes, which ask to close, and returns all that comes back. */
export function rawWhole(port: number, text: string): Promise<string> {
  return exchanged(port, text, null);
}

/** `enough`: what ends the wait; null: the other side. */
function exchanged(port: number, text: string | Buffer, enough: RegExp | null): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = createConnection({ host: "127.0.0.1", port });
  let answer = "";
  let open = true;
  const done = (): void => {
    if (!open) return;
    open = false;
    socket.destroy();
    resolve(answer);
  };
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
    if (enough?.test(answer)) done();
  });
  socket.on("close", done);
  socket.on("error", done);
  socket.write(text);
  return promise;
}

export type Line = readonly [name: string, value: string];

export function head(method: string, path: string, lines: readonly Line[], body = ""): string {
  const all = [
    ...lines,
    ...(body === "" ? [] : [["content-length", String(body.length)] as const]),
  ];
  return `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}
