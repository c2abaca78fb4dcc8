/** The host: what a thread costs that waits for its agent, how soon `run` has an agent started, and how soon threads go
 *  on after everything was killed. Beside it, `run` with a runner of its own.
 *
 *  The agents are `sleep`: what they cost is theirs, and not counted. `--threads n` and `--killed n` change how many. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openThreadStore } from "@uncaged/workflow-store";
import { COMMAND, timedNode } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const { values } = parseArgs({
  options: { threads: { type: "string" }, killed: { type: "string" } },
});
const THREADS = Number(values.threads ?? 200);
const KILLED = Number(values.killed ?? 50);
const ROUNDS = 5;
const WATCH_MS = 20_000;
const TICKS_PER_S = 100;
const WORKFLOW = fileURLToPath(new URL("workflow/sleeper.mjs", import.meta.url));

await withScratchFolder(async (folder) => {
  const root = join(folder, "root");
  try {
    await measure(folder, root);
  } finally {
    command(root, ["kill", "--all", "--yes"]);
    command(root, ["down"]);
  }
});

async function measure(folder, root) {
  mkdirSync(join(folder, "node_modules", "@uncaged"), { recursive: true });
  for (const name of ["agent-command", "runtime"])
    symlinkSync(
      fileURLToPath(new URL(`../packages/${name}`, import.meta.url)),
      join(folder, "node_modules", "@uncaged", `workflow-${name}`),
    );
  symlinkSync(
    fileURLToPath(new URL("../packages/runtime/node_modules/zod", import.meta.url)),
    join(folder, "node_modules", "zod"),
  );
  writeFileSync(join(folder, "sleeper.mjs"), readFileSync(WORKFLOW));
  const bundle = join(folder, "sleeper.esm.js");
  command(root, ["workflow", "build", join(folder, "sleeper.mjs"), "--out", bundle]);
  command(root, ["workflow", "add", "sleeper", bundle]);

  const alone = timesToAgent(root, ROUNDS);
  let host = await up(root);
  timesToAgent(root, 1);
  const hosted = timesToAgent(root, ROUNDS);
  printTable(`from the start of \`run\` to its agent, median of ${ROUNDS}`, [
    { what: "a runner of its own", figure: ms(median(alone)) },
    {
      what: "the host is up",
      figure: ms(median(hosted)),
      ratio: median(hosted) / median(alone),
      bar: "150 ms beyond the agent's own start",
    },
  ]);

  const before = ownMemory(root, host);
  for (let made = 0; made < THREADS; made += 1) command(root, runWords(root));
  await until(root, (threads) => owned(threads).length >= THREADS);
  const after = ownMemory(root, host);
  const cpuMs = await cpuWhile(root, host);
  printTable(`${THREADS} threads that wait for their agents`, [
    {
      what: "memory of host and worker, a thread",
      figure: `${((after - before) / THREADS).toFixed(2)} MiB`,
      bar: "3 MB",
    },
    { what: "memory of host and worker, all", figure: `${after.toFixed(0)} MiB` },
    {
      what: "processor time",
      figure: `${((100 * cpuMs) / WATCH_MS).toFixed(2)} % of a core`,
      bar: "2 %",
    },
  ]);
  command(root, ["kill", "--all", "--yes"]);

  for (let made = 0; made < KILLED; made += 1) command(root, runWords(root));
  await until(root, (threads) => owned(threads).length >= KILLED);
  const fences = new Map((await rows(root)).map(({ threadId, lease }) => [threadId, lease?.fence]));
  for (const pid of [host.pid, ...workersOf(root)]) process.kill(pid, "SIGKILL");
  const killedAt = performance.now();
  host = await up(root);
  await until(
    root,
    (threads) =>
      owned(threads).filter(({ threadId, lease }) => lease.fence > fences.get(threadId)).length >=
      KILLED,
  );
  printTable(`${KILLED} threads, host and worker killed`, [
    {
      what: "until all are under way again, start of the host included",
      figure: ms(performance.now() - killedAt),
      bar: "3 s",
    },
  ]);
}

function runWords(cwd) {
  return ["run", "sleeper", "--prompt", "sleep", "--cwd", cwd];
}

function command(root, words) {
  return timedNode([COMMAND, ...words], { root });
}

/** The agent writes when it began. */
function timesToAgent(root, rounds) {
  return Array.from({ length: rounds }, (_, round) => {
    const cwd = join(root, `began-${performance.now()}-${round}`);
    mkdirSync(cwd, { recursive: true });
    const startedAt = Date.now();
    command(root, runWords(cwd));
    for (;;) {
      const [file] = readdirSync(cwd);
      const text = file === undefined ? "" : readFileSync(join(cwd, file), "utf8");
      if (text.endsWith("\n")) return Number(text) / 1e6 - startedAt;
    }
  });
}

async function up(root) {
  const env = { PATH: process.env.PATH, HOME: root, WORKFLOW_STORAGE_ROOT: root };
  const host = spawn(process.execPath, [COMMAND, "--json", "up"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => host.stdout.once("data", resolve));
  return host;
}

function workersOf(root) {
  const { host } = JSON.parse(command(root, ["--json", "status"]).stdout);
  return host.workers.map(({ pid }) => pid);
}

/** MiB, proportional set size, of the host, its workers and what they need beside the agents. */
function ownMemory(root, host) {
  return ownProcesses(root, host)
    .map((pid) =>
      Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]),
    )
    .reduce((sum, kiB) => sum + kiB / 1024, 0);
}

/** Processes below the host that are no agents: those carry a run's mark. */
function ownProcesses(root, host) {
  const pids = [host.pid, ...workersOf(root)];
  const parents = new Set(pids);
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const stat = text(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    const isAgent = text(`/proc/${name}/environ`).includes("UNCAGED_RUN_MARK=0");
    if (parents.has(parent) && !isAgent && !parents.has(Number(name))) pids.push(Number(name));
  }
  return pids;
}

function text(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

async function cpuWhile(root, host) {
  const pids = ownProcesses(root, host);
  const before = cpuMs(pids);
  await sleep(WATCH_MS);
  return cpuMs(pids) - before;
}

function cpuMs(pids) {
  return (
    pids
      .map((pid) => text(`/proc/${pid}/stat`))
      .map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" "))
      .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0) *
    (1_000 / TICKS_PER_S)
  );
}

function owned(threads) {
  return threads.filter(({ status }) => status === "running");
}

async function rows(root) {
  const store = await openThreadStore(root);
  try {
    return await store.list({});
  } finally {
    await store.close();
  }
}

async function until(root, holds) {
  const store = await openThreadStore(root);
  while (!holds(await store.list({}))) await sleep(5);
  await store.close();
}
