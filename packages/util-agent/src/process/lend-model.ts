/** The way to its model for a program that has no other network: a proxy that passes on to the addresses named, and to
 *  nothing else.
 *
 *  1. The proxy is ours and listens on a Unix socket, which is reached from a network namespace. Programs know proxies by
 *     address: `THROUGH` listens on the loopback inside, which belongs to that sandbox alone, and starts the program.
 *  2. Who can reach the socket reaches no more than the model: the step's commands may use it, too.
 *  3. It is gone with the step. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onOwnSocket } from "./own-socket.ts";

export type LentModel = {
  /** For `Isolation.gate`. */
  socket: string;
  /** Variables of the program: its proxy. */
  env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Free, because nobody else is on that loopback. */
const PORT = "3128";
const MOST_CONNECTIONS = 128;
const CONNECT_MS = 30_000;

/** Arguments: socket, port, the command. It outlives signals, which are for the program, and ends as that does. */
const THROUGH = `const net = require("node:net"), { spawn } = require("node:child_process"), { signals } = require("node:os").constants;
const [socket, port, program, ...args] = process.argv.slice(1);
const join = (a, b) => { a.pipe(b).pipe(a); for (const each of [a, b]) each.on("error", () => { a.destroy(); b.destroy(); }); };
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => {});
net.createServer((inside) => join(inside, net.connect(socket))).listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (error) => { console.error(error.message); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + signals[signal]));
});`;

/** The command as it is started where there is no network but a gate. */
export function throughGate(command: readonly string[], socket: string): string[] {
  return [process.execPath, "-e", THROUGH, "--", socket, PORT, ...command];
}

/** `addresses`: `host:port`, as the program asks for them. */
export async function lendModel(addresses: readonly string[]): Promise<LentModel> {
  const known = new Set(addresses.map((address) => address.toLowerCase()));
  const server = createServer((asked, answer) => passOn(asked, answer, known));
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connect", (asked: IncomingMessage, inside: Duplex, said: Buffer) => {
    const address = (asked.url ?? "").toLowerCase();
    if (!known.has(address)) {
      inside.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusal(address)}\n`);
      return;
    }
    const outside = connected(address, () => {
      inside.write("HTTP/1.1 200 Connection established\r\n\r\n");
      outside.write(said);
      outside.pipe(inside).pipe(outside);
    });
    outside.on("error", () => inside.destroy());
    inside.on("close", () => outside.destroy());
    // What it has said to its end may still be on its way.
    outside.on("close", () => {
      if (!outside.readableEnded) inside.destroy();
    });
  });
  const { path: socket, close } = await onOwnSocket("uwf-model-", server);
  return { socket, env: proxyVariables(`http://127.0.0.1:${PORT}`), close };
}

/** Programs differ in the case that they read. */
function proxyVariables(url: string): Record<string, string> {
  const all = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "" };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

function connected(address: string, onConnect: () => void): Socket {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) }, onConnect);
  socket.setTimeout(CONNECT_MS, () => {
    if (socket.connecting) socket.destroy();
  });
  return socket;
}

/** A request to a model that is reached without TLS. */
function passOn(asked: IncomingMessage, answer: ServerResponse, known: ReadonlySet<string>): void {
  const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : null;
  const address = url === null ? "" : `${url.hostname}:${url.port || 80}`;
  if (url?.protocol !== "http:" || !known.has(address)) {
    answer.writeHead(403, { "content-type": "text/plain" }).end(`${refusal(address)}\n`);
    return;
  }
  const { "proxy-connection": _, "proxy-authorization": _secret, ...headers } = asked.headers;
  const passed = request(url, { method: asked.method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
}

function refusal(address: string): string {
  return `${address} is not the agent's model, and this role may not use the network`;
}
