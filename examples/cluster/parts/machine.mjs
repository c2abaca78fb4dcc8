/** A machine: a storage folder that joins the shared root, and what runs with it: by the script that starts a container. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { KEYS } from "./services.mjs";

const COMMAND = fileURLToPath(
  new URL("bin/uncaged-workflow.mjs", import.meta.resolve("@uncaged/cli-workflow/package.json")),
);
const CONTAINER = fileURLToPath(new URL("../container/", import.meta.url));
const AGENT = fileURLToPath(new URL("../agent.mjs", import.meta.url));
const PATIENCE_MS = 60_000;

export function makeMachine({ folder, signal, atEnd }, name, { postgres, bucket, workMs }) {
  const home = join(folder, "machines", name);
  const root = join(home, "root");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const args = [AGENT, join(folder, "journal"), name, String(workMs)];
  const options = { command: process.execPath, args, output: "json" };
  const agents = { hand: { package: "@uncaged/workflow-agent-command", options } };
  // So that the first worker does not take all threads at once.
  const text = JSON.stringify({ config: { agents, limits: { threads: 5 } } });
  writeFileSync(join(root, "workflow.yaml"), text, { mode: 0o600 });
  const bin = join(home, "bin");
  mkdirSync(bin);
  symlinkSync(COMMAND, join(bin, "uncaged-workflow"));
  const env = {
    PATH: [bin, CONTAINER, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
    GIT_CONFIG_NOSYSTEM: "1",
    UNCAGED_POSTGRES: postgres,
    UNCAGED_ROOT: "team",
    UNCAGED_S3: bucket,
    ...KEYS,
  };
  const running = new Set();
  const machine = {
    ...{ name, root, kills: 0 },
    id: () => {
      const path = join(root, "machine.json");
      return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).id : null;
    },
    /** The document that a command prints. Throws when it fails. */
    run: (words) => runToEnd(["uncaged-workflow", "--json", ...words], { cwd: home, env, signal }),
    /** Starts a command that stays, and returns the document that says that it is up. */
    start: async (words, { more = {} } = {}) => {
      const options = { cwd: home, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] };
      const child = spawn("entrypoint.sh", ["--json", ...words], options);
      running.add(child);
      child.once("close", () => running.delete(child));
      return firstDocument(child, words);
    },
    /** As if its power had gone: the host, its workers and their agents. */
    kill: async () => {
      machine.kills += 1;
      await endAll(running, "SIGKILL");
    },
    /** As Docker and Kubernetes ask, and as they end it; whether each process exits with 0. */
    isHealthy: () => hasPassed("healthy.sh", { cwd: home, env }),
    stop: async () => {
      const codes = [...running].map((child) => once(child, "close").then(([code]) => code));
      await endAll(running, "SIGTERM");
      return (await Promise.all(codes)).every((code) => code === 0);
    },
  };
  atEnd(() => endAll(running, "SIGKILL"));
  return machine;
}

function hasPassed(program, options) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn(program, [], { ...options, stdio: "ignore" });
  child.on("error", reject);
  child.on("close", (code) => resolve(code === 0));
  return promise;
}

function runToEnd([program, ...args], { cwd, env, signal }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const options = { cwd, env, signal, stdio: ["ignore", "pipe", "pipe"] };
  const child = spawn(program, args, options);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (more) => (stdout += more));
  child.stderr.setEncoding("utf8").on("data", (more) => (stderr += more));
  child.on("error", reject);
  child.on("close", (code) => {
    if (code === 0) resolve(JSON.parse(stdout));
    else reject(new Error(`${args.join(" ")}: exit ${code}: ${stdout}${stderr}`));
  });
  return promise;
}

function firstDocument(child, words) {
  const { promise, resolve, reject } = Promise.withResolvers();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (more) => (stderr += more));
  child.stdout.setEncoding("utf8").once("data", (line) => resolve(JSON.parse(line)));
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`${words.join(" ")}: exit ${code}: ${stderr}`)));
  return promise;
}

/** All at once, with what they have started, and until they are gone. */
async function endAll(children, name) {
  const gone = [...children].map((child) => new Promise((resolve) => child.once("close", resolve)));
  const pids = [...children].map(({ pid }) => pid);
  for (const pid of name === "SIGKILL" ? withDescendants(pids) : pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended just now.
    }
  }
  await Promise.race([Promise.all(gone), sleep(PATIENCE_MS, undefined, { ref: false })]);
}

function withDescendants(pids) {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const all = new Set(pids);
  for (let size = -1; size !== all.size; ) {
    size = all.size;
    for (const [pid, parent] of rows) if (all.has(parent)) all.add(pid);
  }
  return all;
}
