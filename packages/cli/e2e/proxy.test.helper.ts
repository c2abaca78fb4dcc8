/** A reverse proxy with the certificate, in front of a server without one: what the settings of nginx in docs/gateway.md
 *  make of it. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { CERTIFICATE, KEY } from "./self-signed.test.helper.ts";

export type Proxy = {
  /** As its callers name it: `https://127.0.0.1:<port>`. */
  origin: string;
  /** Where it passes requests on to. */
  port: number;
  /** Left out: `Host` passes unchanged. */
  host?: string;
  close: () => Promise<void>;
};

export async function openProxy(): Promise<Proxy> {
  const server = createServer({ cert: CERTIFICATE, key: KEY });
  const proxy: Proxy = {
    ...{ origin: "", port: 0 },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  server.on("request", (incoming, outgoing) => {
    const { method, url: path } = incoming;
    const at = { host: "127.0.0.1", port: proxy.port, method, path, setHost: false };
    const passed = request({ ...at, headers: headersOf(incoming, proxy, "close") });
    passed.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, rest: Buffer) => {
    const target = connect(proxy.port, "127.0.0.1");
    const lines = headersOf(incoming, proxy, "upgrade");
    const head = [
      `GET ${incoming.url} HTTP/1.1`,
      ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
    ];
    target.write(`${head.join("\r\n")}\r\n\r\n`);
    target.write(rest);
    target.pipe(socket).pipe(target);
    target.on("error", () => socket.destroy());
    // Nobody reads it any more, so its own end would not be seen.
    target.on("close", () => socket.destroy());
    socket.on("error", () => target.destroy());
    socket.on("close", () => target.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  proxy.origin = `https://127.0.0.1:${address.port}`;
  return proxy;
}

/** As most proxies do, it says who called, and what they called it. */
function headersOf(
  { headers, socket }: IncomingMessage,
  { host }: Proxy,
  connection: string,
): Record<string, string | string[]> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(own),
    ...(host === undefined ? {} : { host }),
    connection,
    "x-forwarded-for": socket.remoteAddress ?? "",
    "x-forwarded-proto": "https",
    "x-forwarded-host": headers.host ?? "",
    "x-real-ip": socket.remoteAddress ?? "",
    via: "1.1 proxy",
  };
}
