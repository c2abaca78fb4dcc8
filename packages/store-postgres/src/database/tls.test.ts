/** TLS to a real server, whose certificate is from an authority of its own. */
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startEmbeddedServer, stopEmbeddedServer } from "../server/embedded-server.ts";
import { serverUser } from "../server/server-user.ts";
import {
  AUTHORITY,
  OTHER_AUTHORITY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from "../testing/certificates.test.helper.ts";
import { openDatabase } from "./database.ts";
import { whileRootLocked } from "./root-lock.ts";

let parent = "";
let plain = "";
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "uwf-tls-"));
  chmodSync(parent, 0o711);
  plain = (await startEmbeddedServer({ folder: folder(), settings: { fsync: "off" } })).url;
  writeFileSync(join(parent, "authority.pem"), AUTHORITY);
  writeFileSync(join(parent, "other.pem"), OTHER_AUTHORITY);
}, 120_000);
afterAll(async () => {
  await stopEmbeddedServer({ folder: folder() });
  rmSync(parent, { recursive: true, force: true });
}, 60_000);

const folder = (): string => join(parent, "postgres");

function urlWith(parameters: Record<string, string>, host = "127.0.0.1"): string {
  const url = new URL(plain);
  url.hostname = host;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
const trusting = (host?: string, mode = "verify-full"): string =>
  urlWith({ sslmode: mode, sslrootcert: join(parent, "authority.pem") }, host);

const open = (url: string) => openDatabase({ url, root: "team" });

test("a server without TLS is refused at once where it is asked for, and a file that is not there, too", async () => {
  expect(await refusal(trusting())).toMatchObject({
    message: expect.stringContaining("does not support SSL"),
    hint: expect.stringContaining("switch ssl on at the server"),
  });
  const missing = join(parent, "missing.pem");
  expect(await refusal(urlWith({ sslmode: "verify-full", sslrootcert: missing }))).toMatchObject({
    message: expect.stringContaining(missing),
    hint: expect.stringContaining("sslrootcert"),
  });
});

test("with TLS each connection is encrypted, those beside the pool, too; other modes are as strict, without a warning", async () => {
  await switchOn();
  const warn = vi.spyOn(process, "emitWarning");
  for (const mode of ["verify-full", "verify-ca", "require"]) {
    const url = trusting("127.0.0.1", mode);
    const database = await open(url);
    const own = await database.query("look", {
      text: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    });
    expect(own.rows).toEqual([{ ssl: true }]);
    await whileRootLocked({ url, root: "team", patienceMs: 10_000 }, async () => {
      const { rows } = await database.query("look", {
        text: `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
          WHERE application_name = 'uncaged-workflow lock'`,
      });
      expect(rows).toEqual([{ ssl: true }]);
    });
    await database.close();
  }
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test("another authority, none, and another host are refused at once, with what to do", async () => {
  await switchOn();
  const other = { sslmode: "verify-full", sslrootcert: join(parent, "other.pem") };
  for (const url of [urlWith(other), urlWith({ sslmode: "verify-full" })])
    expect(await refusal(url)).toMatchObject({ hint: expect.stringContaining("&sslrootcert=") });
  for (const mode of ["verify-full", "verify-ca", "require"])
    expect(await refusal(trusting("localhost", mode))).toMatchObject({
      message: expect.stringContaining("localhost"),
      hint: expect.stringContaining("host that the certificate names"),
    });
});

/** It is at once when no second attempt was made. */
async function refusal(url: string): Promise<unknown> {
  const connect = vi.spyOn(pg.Client.prototype, "connect");
  const thrown = await open(url).then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(connect.mock.calls.length).toBeLessThanOrEqual(1);
  connect.mockRestore();
  expect(thrown).toMatchObject({ failure: { code: "STORAGE_FAILED" } });
  return Reflect.get(Object(thrown), "failure");
}

/** As whoever administers a server does. */
async function switchOn(): Promise<void> {
  const user = await serverUser();
  for (const [name, text] of [
    ["server.pem", SERVER_CERTIFICATE],
    ["server.key", SERVER_KEY],
  ] as const) {
    const path = join(folder(), name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user !== null) chownSync(path, user.uid, user.gid);
  }
  const client = new pg.Client({ connectionString: plain });
  await client.connect();
  await client.query(`ALTER SYSTEM SET ssl_cert_file = '${join(folder(), "server.pem")}'`);
  await client.query(`ALTER SYSTEM SET ssl_key_file = '${join(folder(), "server.key")}'`);
  await client.query("ALTER SYSTEM SET ssl = on");
  await client.query("SELECT pg_reload_conf()");
  await client.end();
  // The server reads its files again when it gets to it.
  const encrypted = new pg.Client({
    connectionString: plain,
    ssl: { rejectUnauthorized: false },
  });
  await encrypted.connect().catch(() => switchOn());
  await encrypted.end().catch(() => {});
}
