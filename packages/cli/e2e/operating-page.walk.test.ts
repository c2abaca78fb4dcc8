/** Follows docs/operating-a-team.md to the letter, on a real server: roles, TLS, how machines join, and a database that goes back to a point in
 *  time by a base backup and an archive of the log; beside it a bucket that does not go back. By the built command. */
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
import { CERTIFICATE, KEY } from "./self-signed.test.helper.ts";
import { openShell, type Shell, type ShellRun } from "./shell.test.helper.ts";
import { ended, type Staying, staying } from "./staying.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/operating-a-team.md", import.meta.url), "utf8");

/** The blocks of a language under a heading, also those of a list. */
function shown(heading: string, language: string): string[] {
  const [, after = ""] = PAGE.split(`\n## ${heading}\n`);
  const [section = ""] = after.split(/^## /m);
  const blocks = new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm");
  return [...section.matchAll(blocks)].map(([, text = ""]) => text.replaceAll(/^ +(?=\w+ )/gm, ""));
}

/** Lines `name = value` of a block, where the test has its folders. */
function settingsIn(heading: string): Record<string, string> {
  const text = shown(heading, "ini")
    .join("")
    .replaceAll("/var/lib/archive", join(parent, "archive"))
    .replaceAll("/etc/postgresql", join(parent, "postgres"));
  const lines = [...text.matchAll(/^(\w+) = '?(.*?)'?$/gm)];
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}

const KEYS = {
  AWS_ACCESS_KEY_ID: "S3RVER",
  AWS_SECRET_ACCESS_KEY: "S3RVER",
  AWS_REGION: "us-east-1",
};
/** Of the workers' role. */
const env = { ...KEYS, PGPASSWORD: "another" };

let parent = "";
let owner: Cli;
let cli: Cli;
let other: Cli;
let workers: Staying;
let bucket: S3rver;
let bucketUrl = "";
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "uwf-point-"));
  chmodSync(parent, 0o711);
  for (const name of ["archive", "s3"]) mkdirSync(join(parent, name), { mode: 0o777 });
  chmodSync(join(parent, "archive"), 0o777);
  writeFileSync(join(parent, "db-ca.pem"), CERTIFICATE);
  bucket = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(parent, "s3") },
    configureBuckets: [{ name: "team", configs: [] }],
  });
  const { port } = await bucket.run();
  bucketUrl = `http://127.0.0.1:${port}/team`;
  owner = openCli();
  cli = openCli();
  other = openCli();
  workers = staying(cli);
});
afterAll(async () => {
  await workers.end();
  // They have the password in their environment, and the first ones know a server that is gone.
  for (const { root } of [owner, cli, other]) rmSync(root, { recursive: true, force: true });
  await Promise.all([owner.close(), cli.close(), other.close()]);
  await stopEmbeddedServer(place());
  await bucket.close();
  rmSync(parent, { recursive: true, force: true });
});

const place = () => ({
  folder: join(parent, "postgres"),
  settings: { ...settingsIn("Backup"), fsync: "off" },
});
const data = (): string => join(parent, "postgres", "data");

it("roles, TLS and joining work as shown; going back brings back whole threads from before that moment, and nothing of those after it", async () => {
  let { url } = await startEmbeddedServer(place());
  await administered(url);
  const [asOwner = "", asWorker = ""] = shown("Joining machines", "sh");
  const [joining = "", working = ""] = asWorker.split(/^(?=uncaged-workflow worker start)/m);
  // The tables are not the workers' to make.
  expect(await follow(cli, joining, url)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("STORAGE_FAILED"),
  });
  expect(await follow(owner, asOwner, url)).toMatchObject({ code: 0 });
  const plain = joining.replace(/\?sslmode=.*(?=")/, "");
  expect(await follow(cli, plain, url)).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/no encryption|no pg_hba/),
  });
  expect(await follow(cli, joining, url)).toMatchObject({ code: 0, stderr: "" });
  await cli.json(["workflow", "add", "steps", await stepsFile(cli)], { env });
  const [, ...words] = working.trim().replace("--health 8080", "--health 0").split(" ");
  const { child } = await workers.start<{ worker: string }>(words, env);
  const before = await run();

  await baseBackup(url);
  const between = await run();
  const moment = await ask(url, "SELECT clock_timestamp()::text AS it");
  const after = await run();
  await ask(url, "SELECT pg_switch_wal()::text AS it");

  await ended(child, "SIGTERM");
  await stopEmbeddedServer(place());
  goBack(moment);
  ({ url } = await startEmbeddedServer(place()));
  // It answers before it is at that moment.
  const isRecovering = () => ask(url, "SELECT pg_is_in_recovery()::text AS it");
  await expect.poll(isRecovering, { timeout: 60_000 }).toBe("false");

  // The port is another one, as on another machine.
  expect(await follow(other, joining, url)).toMatchObject({ code: 0 });
  const [looks = ""] = shown("Going back to a point in time", "sh");
  const looked = await follow(other, looks, url);
  expect(looked).toMatchObject({ code: 0 });
  for (const threadId of [before, between]) expect(looked.stdout).toContain(threadId);
  expect(looked.stdout).not.toContain(after);
  for (const threadId of [before, between])
    expect(await other.json(["thread", "verify", threadId], { env })).toMatchObject({ ok: true });
  expect((await other.fails(["thread", "show", after], { env })).code).toBe("THREAD_NOT_FOUND");

  // A bucket that has gone back farther than the database is another matter: its threads say so.
  const objects = readdirSync(join(parent, "s3", "team"), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith("_object"))
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(objects.length).toBeGreaterThan(2);
  for (const object of objects) rmSync(object);
  const lost = await other.run(["cas", "fsck", "--json"], { env });
  expect(lost.code).toBe(5);
  expect(lost.stdout).toContain("CAS_MISSING");
}, 240_000);

async function run(): Promise<string> {
  // Too long for a row.
  const prompt = JSON.stringify({ steps: 1, says: `${Math.random()} `.repeat(40_000) });
  const words = ["run", "steps", "--prompt", "-", "--cwd", cli.dir, "--wait"];
  const { threadId } = await cli.json<{ threadId: string }>(words, { stdin: prompt, env });
  return threadId;
}

async function stepsFile({ dir }: Cli): Promise<string> {
  const made = openCli();
  await made.addSteps("steps");
  cpSync(join(made.dir, "flow"), join(dir, "flow"), { recursive: true });
  await made.close();
  return join(dir, "flow", "dist", "steps.esm.js");
}

/** Runs commands of the page, where its addresses are those of the test. */
function follow(at: Cli, script: string, url: string): Promise<ShellRun> {
  const text = script
    .replaceAll("db.example.com/workflows", `${new URL(url).host}/postgres`)
    .replaceAll("/etc/uncaged/", `${parent}/`)
    .replaceAll("team-bucket", bucketUrl);
  const shell = shells.get(at) ?? openShell(at);
  shells.set(at, shell);
  return shell.run(text, env);
}

const shells = new Map<Cli, Shell>();

/** What the page has the administrator of the server do. */
async function administered(url: string): Promise<void> {
  const roles = shown("Roles", "sql")[0] ?? "";
  const text = `${roles.replace("DATABASE workflows", "DATABASE postgres")} SELECT '' AS it`;
  const client = await openDatabase({ url, root: "elsewhere" });
  for (const each of text.split(";")) await client.query("administer", { text: each });
  const { uid, gid } = statSync(data());
  for (const [name, bytes] of [
    ["server.pem", CERTIFICATE],
    ["server.key", KEY],
  ] as const) {
    const path = join(parent, "postgres", name);
    writeFileSync(path, bytes, { mode: 0o600 });
    chownSync(path, uid, gid);
  }
  for (const [name, value] of Object.entries(settingsIn("TLS")))
    await client.query("administer", { text: `ALTER SYSTEM SET ${name} = '${value}'` });
  const rules = join(data(), "pg_hba.conf");
  const only = "hostnossl all team_owner,team_worker,team_viewer all reject\n";
  writeFileSync(rules, `${only}${readFileSync(rules, "utf8")}`);
  await client.query("administer", { text: "SELECT pg_reload_conf()" });
  // The server reads its files again when it gets to it.
  await expect.poll(() => ask(url, "SELECT current_setting('ssl') AS it")).toBe("on");
  await client.close();
}

async function ask(url: string, text: string): Promise<string> {
  const database = await openDatabase({ url, root: "elsewhere" });
  const { rows } = await database.query("ask", { text });
  await database.close();
  return String(Reflect.get(Object(rows[0]), "it"));
}

/** What `pg_basebackup` does, which npm's server does not bring. */
async function baseBackup(url: string): Promise<void> {
  const database = await openDatabase({ url, root: "elsewhere" });
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
  const recovery = { ...settingsIn("Going back to a point in time"), recovery_target_time: moment };
  const settings = Object.entries(recovery).map(([name, value]) => `${name} = '${value}'`);
  writeFileSync(file, `${readFileSync(file, "utf8")}${settings.join("\n")}\n`);
  const { uid, gid } = statSync(join(parent, "gone"));
  for (const name of [".", ...readdirSync(data(), { recursive: true, encoding: "utf8" })])
    chownSync(join(data(), name), uid, gid);
  chmodSync(data(), 0o700);
}
