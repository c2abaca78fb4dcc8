/** PgBouncer before the server of the tests, in transaction mode: a session is lent for one transaction. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { serverUser } from "../server/server-user.ts";

export type Pooler = { url: string; close(): Promise<void> };

/** `sessions`: of the server, for all clients. `settings`: more lines of its configuration. */
export async function pooler(
  url: string,
  { sessions, settings = [] }: { sessions: number; settings?: readonly string[] },
): Promise<Pooler> {
  const { username, password, hostname, port: behind, pathname } = new URL(url);
  const user = await serverUser();
  const folder = mkdtempSync(join(tmpdir(), "uwf-pooler-"));
  const port = await freePort();
  const users = join(folder, "users.txt");
  const configuration = join(folder, "pgbouncer.ini");
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    configuration,
    [
      "[databases]",
      `* = host=${hostname} port=${behind}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = scram-sha-256\nauth_file = ${users}`,
      `pool_mode = transaction\ndefault_pool_size = ${sessions}`,
      ...settings,
      "",
    ].join("\n"),
  );
  chmodSync(folder, 0o700);
  if (user !== null)
    for (const each of [folder, users, configuration]) chownSync(each, user.uid, user.gid);
  const child = spawn(await program(), [configuration], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    ...user,
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  through.pathname = pathname;
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  await untilAnswers(through.href, () => child.exitCode);
  return { url: through.href, close };
}

/** Debian puts it where only root's shell looks. */
async function program(): Promise<string> {
  for (const each of ["pgbouncer", "/usr/sbin/pgbouncer"])
    if ((await promisify(execFile)(each, ["--version"]).catch(() => null)) !== null) return each;
  throw new Error("PgBouncer is missing; on Debian: apt-get install pgbouncer");
}

async function untilAnswers(url: string, ended: () => number | null): Promise<void> {
  while (ended() === null) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.end();
    } catch {
      await sleep(20);
    }
  }
  throw new Error(`PgBouncer ended with code ${ended()}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("no free port");
}
