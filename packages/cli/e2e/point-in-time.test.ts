/** A shared root whose database goes back to a point in time, as docs/operating-a-team.md says: a base backup of the folder, an archive of
 *  the log, on a real server; beside it a bucket that does not go back. By the built command. */
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openDatabase,
  startEmbeddedServer,
  stopEmbeddedServer,
} from "@uncaged/workflow-store-postgres";
import S3rver from "s3rver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const KEYS = {
  AWS_ACCESS_KEY_ID: "S3RVER",
  AWS_SECRET_ACCESS_KEY: "S3RVER",
  AWS_REGION: "us-east-1",
};

let parent = "";
let cli: Cli;
let other: Cli;
let bucket: S3rver;
let bucketUrl = "";
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "uwf-point-"));
  chmodSync(parent, 0o711);
  for (const name of ["archive", "s3"]) mkdirSync(join(parent, name), { mode: 0o777 });
  chmodSync(join(parent, "archive"), 0o777);
  bucket = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(parent, "s3") },
    configureBuckets: [{ name: "team", configs: [] }],
  });
  const { port } = await bucket.run();
  bucketUrl = `http://127.0.0.1:${port}/team`;
  cli = openCli();
  other = openCli();
});
afterAll(async () => {
  // The server that it knows is gone.
  rmSync(cli.root, { recursive: true, force: true });
  await Promise.all([cli.close(), other.close()]);
  await stopEmbeddedServer(place());
  await bucket.close();
  rmSync(parent, { recursive: true, force: true });
});

const place = () => ({
  folder: join(parent, "postgres"),
  settings: {
    wal_level: "replica",
    archive_mode: "on",
    archive_command: `cp %p ${join(parent, "archive")}/%f`,
    fsync: "off",
  },
});
const data = (): string => join(parent, "postgres", "data");

it("brings back whole threads from before that moment, and nothing of those after it; objects that nobody names do no harm", async () => {
  let { url } = await startEmbeddedServer(place());
  const joining = (at: Cli, to: string) =>
    at.json(["root", "init", "--postgres", to, "--name", "team", "--s3", bucketUrl], { env: KEYS });
  await joining(cli, url);
  await cli.json(["workflow", "add", "steps", await stepsFile(cli)], { env: KEYS });
  const before = await run();

  await baseBackup(url);
  const between = await run();
  const moment = await ask(url, "SELECT clock_timestamp()::text AS it");
  const after = await run();
  await ask(url, "SELECT pg_switch_wal()::text AS it");

  await stopEmbeddedServer(place());
  goBack(moment);
  ({ url } = await startEmbeddedServer(place()));
  // It answers before it is at that moment.
  const isRecovering = () => ask(url, "SELECT pg_is_in_recovery()::text AS it");
  await expect.poll(isRecovering, { timeout: 60_000 }).toBe("false");

  // The port is another one, as on another machine.
  await joining(other, url);
  const { threads } = await other.json<{ threads: { threadId: string; status: string }[] }>(
    ["thread", "list"],
    { env: KEYS },
  );
  expect(threads.map(({ threadId }) => threadId).sort()).toEqual([before, between].sort());
  for (const threadId of [before, between])
    expect(await other.json(["thread", "verify", threadId], { env: KEYS })).toMatchObject({
      ok: true,
    });
  expect((await other.fails(["thread", "show", after], { env: KEYS })).code).toBe(
    "THREAD_NOT_FOUND",
  );
  expect(await other.json(["cas", "fsck"], { env: KEYS })).toMatchObject({ ok: true });
  const { checks } = await other.json<{ checks: { name: string; ok: boolean }[] }>(["doctor"], {
    env: KEYS,
  });
  for (const name of ["server", "index", "bundles", "threads"])
    expect(checks.find((each) => each.name === name)).toMatchObject({ ok: true });

  // A bucket that has gone back farther than the database is another matter: its threads say so.
  const objects = readdirSync(join(parent, "s3", "team"), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith("_object"))
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(objects.length).toBeGreaterThan(2);
  for (const object of objects) rmSync(object);
  const lost = await other.run(["cas", "fsck", "--json"], { env: KEYS });
  expect(lost.code).toBe(5);
  expect(lost.stdout).toContain("CAS_MISSING");
}, 240_000);

async function run(): Promise<string> {
  // Too long for a row.
  const prompt = JSON.stringify({ steps: 1, says: `${Math.random()} `.repeat(40_000) });
  const words = ["run", "steps", "--prompt", "-", "--cwd", cli.dir, "--wait"];
  const { threadId } = await cli.json<{ threadId: string }>(words, { stdin: prompt, env: KEYS });
  return threadId;
}

async function stepsFile({ dir }: Cli): Promise<string> {
  const made = openCli();
  await made.addSteps("steps");
  cpSync(join(made.dir, "flow"), join(dir, "flow"), { recursive: true });
  await made.close();
  return join(dir, "flow", "dist", "steps.esm.js");
}

async function ask(url: string, text: string): Promise<string> {
  const database = await openDatabase({ url, root: "team" });
  const { rows } = await database.query("ask", { text });
  await database.close();
  return String(Reflect.get(Object(rows[0]), "it"));
}

/** What `pg_basebackup` does, which npm's server does not bring. */
async function baseBackup(url: string): Promise<void> {
  const database = await openDatabase({ url, root: "team" });
  // One connection for both: it has been used by nobody else.
  await database.query("begin a backup", { text: "SELECT pg_backup_start('base', true)" });
  const filter = (path: string): boolean => !/pg_wal\/.|postmaster\./u.test(path);
  cpSync(data(), join(parent, "base"), { recursive: true, filter });
  const text = "SELECT labelfile FROM pg_backup_stop()";
  const { rows } = await database.query("end a backup", { text });
  writeFileSync(
    join(parent, "base", "backup_label"),
    `${Reflect.get(Object(rows[0]), "labelfile")}`,
  );
  await database.close();
}

function goBack(moment: string): void {
  renameSync(data(), join(parent, "gone"));
  renameSync(join(parent, "base"), data());
  writeFileSync(join(data(), "recovery.signal"), "");
  const file = join(data(), "postgresql.auto.conf");
  const settings = [
    `restore_command = 'cp ${join(parent, "archive")}/%f %p'`,
    `recovery_target_time = '${moment}'`,
    "recovery_target_action = 'promote'",
  ];
  writeFileSync(file, `${readFileSync(file, "utf8")}${settings.join("\n")}\n`);
  const { uid, gid } = statSync(join(parent, "gone"));
  for (const name of [".", ...readdirSync(data(), { recursive: true, encoding: "utf8" })])
    chownSync(join(data(), name), uid, gid);
  chmodSync(data(), 0o700);
}
