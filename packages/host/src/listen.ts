/** The socket of a host: only its user can connect, and what arrives is parsed before it is used. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostReply, linesOf, parseHostRequest } from "@uncaged/workflow-execute";
import { isThreadId } from "@uncaged/workflow-protocol";
import { storageFailed, storagePaths } from "@uncaged/workflow-util";
import type { Carrier } from "./carry-threads.ts";
import type { QueueStarter } from "./start-queued.ts";

/** The length that every system allows for the path of a socket: Linux 108 bytes, macOS 104, each with a final NUL. */
const LONGEST_PATH_BYTES = 103;
/** For clients that connect and send nothing. */
const SILENT_MS = 10_000;

export type Listener = { socket: string; close: () => void };

/** Throws `STORAGE_FAILED`. Whoever calls this holds the host's lock: an old socket in its place is nobody's. */
export async function listen(
  root: string,
  carrier: Pick<Carrier, "state">,
  queue: QueueStarter,
): Promise<Listener> {
  const { socket, folder } = socketPath(root);
  rmSync(socket, { force: true });
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on("close", () => connections.delete(connection));
    // A client that disconnects before the answer does not need one.
    connection.on("error", () => undefined);
    connection.setTimeout(SILENT_MS, () => connection.destroy());
    void answer(connection, carrier, queue).catch(() => connection.destroy());
  });
  await bind(server, socket);
  return {
    socket,
    close: () => {
      server.close();
      for (const connection of connections) connection.destroy();
      rmSync(folder ?? socket, { recursive: true, force: true });
    },
  };
}

async function answer(
  connection: Socket,
  carrier: Pick<Carrier, "state">,
  queue: QueueStarter,
): Promise<void> {
  const say = (reply: HostReply): void => {
    connection.write(`${JSON.stringify(reply)}\n`);
  };
  for await (const line of linesOf(connection)) {
    const request = parseHostRequest(line);
    // From here on any delay is ours.
    connection.setTimeout(0);
    if (request?.kind === "status") say({ kind: "status", ...carrier.state() });
    else if (request?.kind === "run" && isThreadId(request.threadId)) {
      say({ kind: "taken" });
      say((await queue.run(request.threadId)) ?? { kind: "declined" });
    } else if (request?.kind === "look") {
      say({ kind: "taken" });
      await queue.look();
    } else say({ kind: "declined" });
    break;
  }
  connection.end();
}

function bind(server: Server, socket: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause) => reject(storageFailed(`cannot listen on ${socket}`, cause)));
  // The socket appears here: accessible only to its user from the first moment.
  const mask = process.umask(0o177);
  server.listen(socket, () => {
    chmodSync(socket, 0o600);
    resolve();
  });
  process.umask(mask);
  return promise;
}

function socketPath(root: string): { socket: string; folder: string | null } {
  const { hostSocket } = storagePaths(root);
  if (Buffer.byteLength(hostSocket) <= LONGEST_PATH_BYTES)
    return { socket: hostSocket, folder: null };
  const folder = mkdtempSync(join(tmpdir(), "uncaged-host-"));
  return { socket: join(folder, "host.sock"), folder };
}
