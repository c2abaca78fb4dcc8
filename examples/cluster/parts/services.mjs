/** What the machines share: PostgreSQL, a bucket, and the remote of a git repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedServer, stopEmbeddedServer } from "@uncaged/workflow-store-postgres";
import S3rver from "s3rver";

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

/** A repository, and its remote. */
export function makeRepository({ folder }) {
  const remote = join(folder, "remote.git");
  const repository = join(folder, "project");
  git(folder, "init", "--quiet", "--bare", remote);
  git(folder, "init", "--quiet", "--initial-branch=main", repository);
  writeFileSync(join(repository, "README"), "a project\n");
  git(repository, "add", "-A");
  git(repository, "commit", "--quiet", "-m", "begin");
  git(repository, "remote", "add", "origin", remote);
  git(repository, "push", "--quiet", "origin", "main");
  return { remote, repository };
}

export function git(cwd, ...args) {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8" }).trim();
}
