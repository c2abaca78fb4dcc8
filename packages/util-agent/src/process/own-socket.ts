import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";

export type OwnSocket = {
  path: string;
  /** Ends what is open; the socket is gone. */
  close(): Promise<void>;
};

/** Has a server listen on a Unix socket, in a temporary folder that only this user can enter. A connection that breaks
 *  breaks nothing else. Rejects when it cannot listen, and leaves nothing. */
export async function onOwnSocket(prefix: string, server: Server): Promise<OwnSocket> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const path = join(folder, "s");
  const open = new Set<Duplex>();
  server.on("connection", (connection) => {
    open.add(connection);
    connection.on("close", () => open.delete(connection));
    connection.on("error", () => connection.destroy());
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => resolve());
    });
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
  return {
    path,
    async close() {
      for (const connection of open) connection.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
