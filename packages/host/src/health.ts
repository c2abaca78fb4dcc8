/** Answers the probes of whoever supervises a host, such as Kubernetes. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { storageFailed } from "@uncaged/workflow-util";

export type Health = {
  /** Whether it runs at all; a storage that is away does not matter. */
  isAlive: () => boolean;
  /** Why it takes no threads; null: it does. */
  notReady: () => string | null;
};

/** Serves `/healthz` and `/readyz` on a port of every interface; 0: any. Returns which, and how to end it. Throws
 *  `STORAGE_FAILED` when the port is taken. */
export async function serveHealth(
  port: number,
  { isAlive, notReady }: Health,
): Promise<{ port: number; close: () => void }> {
  const server = createServer((request, response) => {
    const say = (status: number, words: string): void => {
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
      response.end(`${words}\n`);
    };
    if (request.url === "/healthz") say(isAlive() ? 200 : 503, isAlive() ? "ok" : "stuck");
    else if (request.url === "/readyz") say(notReady() === null ? 200 : 503, notReady() ?? "ok");
    else say(404, "there are: /healthz, /readyz");
  });
  try {
    server.listen(port);
    await once(server, "listening");
  } catch (cause) {
    throw storageFailed(`cannot listen on port ${port}`, cause);
  }
  const address = server.address();
  return {
    port: isInternet(address) ? address.port : port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isInternet(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
