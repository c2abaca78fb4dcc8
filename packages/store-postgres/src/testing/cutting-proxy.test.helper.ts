import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server that breaks once or twice. */
export type CuttingProxy = {
  /** Of the server, through the proxy. */
  url: string;
  /** Breaks the connection at the n-th message of a client from now on: `request` before the server has it, `answer` when
   *  the server has answered. `answerOf`: the answer to this later message is lost, too. */
  cutAt(message: number, lost: "request" | "answer", answerOf?: number): void;
  /** How many messages there were since. */
  messages(): number;
  /** Leads to another server from now on. */
  leadTo(url: string): void;
  close(): Promise<void>;
};

export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  let to = new URL(url);
  const sockets = new Set<Socket>();
  let seen = 0;
  let cuts = new Map<number, "request" | "answer">();
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    let lost: "request" | "answer" | null = null;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("data", (bytes) => {
      seen += 1;
      lost ??= cuts.get(seen) ?? null;
      if (lost === "request") end();
      else upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (lost !== null) end();
      else client.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return {
    url: through.href,
    cutAt: (message, lost, answerOf) => {
      seen = 0;
      cuts = new Map([[message, lost]]);
      if (answerOf !== undefined) cuts.set(answerOf, "answer");
    },
    messages: () => seen,
    leadTo: (other) => {
      to = new URL(other);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
