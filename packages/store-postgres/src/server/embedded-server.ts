/** A PostgreSQL server of this machine alone: for a try-out, and for tests.
 *
 *      data/         the cluster
 *      password      of the only user, mode 0600
 *      server.log    what the server says
 *      server.lock   held by whoever starts or stops it
 *
 *  1. The server outlives whoever started it. Whoever comes next adopts it.
 *  2. It listens on the loopback interface only, on a port that was free, and asks for the password.
 *  3. A cluster is made under another name and then renamed, so `data` is complete or absent, whatever is killed.
 *  4. What a crash left (`postmaster.pid`, half a cluster) is no obstacle. */
import { type ExecFileException, execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { lockFile } from "@uncaged/workflow-store";
import { randomTag, storageFailed, syncFolder, writeFileAtomic } from "@uncaged/workflow-util";
import { disownPostmaster, type Postmaster, readPostmaster } from "./postmaster-file.ts";
import { type ServerPrograms, serverPrograms } from "./programs.ts";
import { demandReachable, giveTo, type ServerUser, serverUser } from "./server-user.ts";

export type EmbeddedServer = {
  /** With the password; the user may do everything. */
  url: string;
  /** False: it ran already. */
  started: boolean;
};

export type ServerPlace = {
  /** Absolute path. */
  folder: string;
  /** From where the package with the binaries is looked for, besides here: `file:` URLs. */
  from?: readonly string[];
  /** Parameters of the server, set when its cluster is made. */
  settings?: { readonly [name: string]: string };
};

const USER = "uncaged";
/** Recovery after a crash included. */
const START_SECONDS = 120;
/** Somebody has taken the port meanwhile; parts of a server that was killed are still ending. */
const PASSES = /could not bind|shared memory block/u;
const MOST_TRIES = 10;
const PATIENCE_MS = 2 * START_SECONDS * 1000;

/** Starts the server of a folder, which is created with its cluster, unless it runs. Throws `STORAGE_FAILED`. */
export async function startEmbeddedServer(place: ServerPlace): Promise<EmbeddedServer> {
  const running = await answering(place.folder);
  if (running !== null) return { url: urlOf(place.folder, running), started: false };
  const user = await serverUser();
  try {
    // The server's user has to get through to his folder.
    mkdirSync(dirname(place.folder), { recursive: true, mode: user === null ? 0o700 : 0o711 });
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    giveTo(user, place.folder);
  } catch (cause) {
    throw storageFailed(`cannot make ${place.folder}`, cause);
  }
  demandReachable(user, place.folder);
  return whileLocked(place.folder, async () => {
    const meanwhile = await answering(place.folder);
    if (meanwhile !== null) return { url: urlOf(place.folder, meanwhile), started: false };
    const programs = await serverPrograms([import.meta.url, ...(place.from ?? [])]);
    const how = { ...place, programs, user };
    if (!existsSync(dataOf(place.folder))) await makeCluster(how);
    return { url: urlOf(place.folder, await start(how)), started: true };
  });
}

/** Ends the server of a folder, and the connections to it. False: none ran. Throws `STORAGE_FAILED`. */
export async function stopEmbeddedServer({ folder, from = [] }: ServerPlace): Promise<boolean> {
  if (!existsSync(dataOf(folder))) return false;
  return whileLocked(folder, async () => {
    const data = dataOf(folder);
    if (readPostmaster(data) === null) return false;
    const { pgCtl } = await serverPrograms([import.meta.url, ...from]);
    const user = await serverUser();
    await run(pgCtl, ["stop", "-D", data, "-m", "fast", "-w", "-t", `${START_SECONDS}`], user);
    return true;
  });
}

type How = ServerPlace & { programs: ServerPrograms; user: ServerUser | null };

async function makeCluster({ folder, settings = {}, programs, user }: How): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(UNFINISHED)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  // Kept if it is there: a cluster that is about to be renamed was made with it.
  const password = passwordFile(folder);
  await writeFileAtomic({ path: password, data: randomTag(32), mode: 0o600, existing: "keep" });
  giveTo(user, password);
  const unfinished = join(folder, `${UNFINISHED}${randomTag(8)}`);
  const parameters = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  await run(
    programs.initdb,
    [
      `--pgdata=${unfinished}`,
      `--username=${USER}`,
      `--pwfile=${password}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
      ...(settings.fsync === "off" ? ["--no-sync"] : []),
      ...Object.entries(parameters).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    user,
  );
  try {
    renameSync(unfinished, dataOf(folder));
    await syncFolder(folder);
  } catch (cause) {
    throw storageFailed(`cannot name ${dataOf(folder)}`, cause);
  }
}

async function start({ folder, programs, user }: How): Promise<Postmaster> {
  const data = dataOf(folder);
  disownPostmaster(data);
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    const log = join(folder, "server.log");
    const how = ["-w", "-t", `${START_SECONDS}`, "-l", log, "-o", `-p ${port}`];
    try {
      await run(programs.pgCtl, ["start", "-D", data, ...how], user);
      break;
    } catch (cause) {
      const said = lastLines(log);
      if (tries === MOST_TRIES || !PASSES.test(said)) throw notStarted(folder, said, cause);
      await sleep(tries * 100);
    }
  }
  const running = await answering(folder);
  if (running === null) throw notStarted(folder, lastLines(join(folder, "server.log")), null);
  return running;
}

/** Waits for a server that is about to be ready, such as one whose starter was killed. null: none runs. */
async function answering(folder: string): Promise<Postmaster | null> {
  const until = Date.now() + START_SECONDS * 1000;
  while (true) {
    const running = readPostmaster(dataOf(folder));
    if (running === null) return null;
    if (running.ready && (await accepts(running.port))) return running;
    if (Date.now() > until) throw silent(folder, running);
    await sleep(50);
  }
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: "127.0.0.1" });
  const answer = (accepted: boolean): void => {
    socket.destroy();
    resolve(accepted);
  };
  socket.once("connect", () => answer(true)).once("error", () => answer(false));
  return promise;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (typeof address === "object" && address !== null) return address.port;
  throw storageFailed("cannot find a free port", new Error("the system names none"));
}

const UNFINISHED = "data.new-";

const dataOf = (folder: string): string => join(folder, "data");

const passwordFile = (folder: string): string => join(folder, "password");

function urlOf(folder: string, { port }: Postmaster): string {
  try {
    const password = readFileSync(passwordFile(folder), "utf8").trim();
    return `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  } catch (cause) {
    throw storageFailed("cannot read the password of the PostgreSQL server", cause);
  }
}

async function whileLocked<T>(folder: string, section: () => Promise<T>): Promise<T> {
  const lock = await lockFile(join(folder, "server.lock"), AbortSignal.timeout(PATIENCE_MS));
  if (lock === null) throw held(folder);
  try {
    return await section();
  } finally {
    lock.release();
  }
}

/** Without this process's variables: those of PostgreSQL would name another server. */
function run(file: string, args: readonly string[], user: ServerUser | null): Promise<void> {
  const { PATH, SYSTEMROOT, TMPDIR } = process.env;
  const env = { PATH, SYSTEMROOT, TMPDIR, LC_ALL: "C" };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Not where this process is: the server would keep that folder in use, and its user may not be allowed in.
  const cwd = join(file, "..");
  const child = execFile(file, args, { env, cwd, ...user }, (cause, stdout, stderr) => {
    if (cause === null) resolve();
    else reject(failedProgram(file, cause, `${stdout}${stderr}`));
  });
  child.stdin?.end();
  return promise;
}

function failedProgram(file: string, cause: ExecFileException, said: string): WorkflowError {
  const full = /No space left/iu.test(said) || cause.code === "ENOSPC";
  const words = said.trim().split("\n").slice(-3).join("; ") || cause.message;
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `${file} failed: ${words}`,
      full
        ? "free some disk space, then try again"
        : "what it says names the cause; then try again, or give the URL of a server of your own",
    ),
    { cause },
  );
}

function notStarted(folder: string, said: string, cause: unknown): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the PostgreSQL server of ${folder} does not start: ${said}`,
      `see ${join(folder, "server.log")}, then try again`,
    ),
    { cause },
  );
}

function silent(folder: string, { pid }: Postmaster): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the PostgreSQL server of ${folder}, process ${pid}, does not answer`,
      `see ${join(folder, "server.log")}; if the process is stuck, end it, then try again`,
    ),
  );
}

function held(folder: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `another process has been starting or stopping the PostgreSQL server of ${folder} for minutes`,
      "wait for it, or end it, then try again",
    ),
  );
}

function lastLines(log: string): string {
  try {
    return readFileSync(log, "utf8").trim().split("\n").slice(-3).join("; ");
  } catch {
    return "it left no log";
  }
}
