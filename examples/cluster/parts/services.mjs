/** What the machines share: PostgreSQL, a bucket, and the remote of a git repository. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedServer, stopEmbeddedServer } from "@uncaged/workflow-store-postgres";
import S3rver from "s3rver";

const ENV = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
const PATIENCE_MS = 10_000;

/** Returns the URL. */
export async function startPostgres({ folder, atEnd }) {
  const place = { folder: join(folder, "postgres"), settings: { fsync: "off" } };
  atEnd(() => stopEmbeddedServer(place));
  return (await startEmbeddedServer(place)).url;
}

/** The only key that the server knows. */
export const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/** Returns the URL of a bucket. */
export async function startS3({ folder, atEnd }) {
  const directory = join(folder, "s3");
  mkdirSync(directory);
  const configureBuckets = [{ name: "team", configs: [] }];
  const how = { address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets };
  const server = new S3rver(how);
  const { port } = await server.run();
  atEnd(() => server.close());
  return { bucket: `http://127.0.0.1:${port}/team`, directory };
}

/** A repository, and its remote, which Git's own server serves. With a path instead of a URL, what receives a push would run
 *  on the machine that pushes, be killed with it, and leave a lock behind. */
export async function startRemote({ folder, atEnd }) {
  const remote = join(folder, "remote.git");
  const repository = join(folder, "project");
  git(folder, "init", "--quiet", "--bare", remote);
  const url = await serve(remote, { folder, atEnd });
  git(folder, "init", "--quiet", "--initial-branch=main", repository);
  writeFileSync(join(repository, "README"), "a project\n");
  git(repository, "add", "-A");
  git(repository, "commit", "--quiet", "-m", "begin");
  git(repository, "remote", "add", "origin", url);
  git(repository, "push", "--quiet", "origin", "main");
  return { remote, repository };
}

/** Returns the URL. */
async function serve(remote, { folder, atEnd }) {
  const port = await freePort();
  const how = ["--listen=127.0.0.1", `--port=${port}`, `--base-path=${folder}`, "--reuseaddr"];
  const args = ["daemon", ...how, "--export-all", "--enable=receive-pack", remote];
  const child = spawn("git", args, { env: { ...ENV, HOME: folder }, stdio: "ignore" });
  const gone = once(child, "exit");
  atEnd(async () => {
    child.kill();
    await gone;
  });
  const url = `git://127.0.0.1:${port}/remote.git`;
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    try {
      git(folder, "ls-remote", url);
      return url;
    } catch (error) {
      if (Date.now() > giveUpAt || child.exitCode !== null) throw error;
    }
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

export function git(cwd, ...args) {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  const options = { cwd, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] };
  return execFileSync("git", [...who, ...args], options).trim();
}
