/** How far it goes: a thread of 51,200 steps, 100,000 threads, 1,000,000 blobs, a blob of 64 MiB, each looked at
 *  by the built command. Prints time and peak memory of each look. `npm run scale [-- <part of it>]`
 *  (SCALE=0.01 makes all of it smaller). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeContent, encodeStart, openRootStore } from "@uncaged/workflow-cas";
import { openIndex } from "@uncaged/workflow-store";
import { newThreadId, storagePaths } from "@uncaged/workflow-util";
import { COMMAND } from "./parts/command.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { idleThread, makeSteps, openSteadyEngine } from "./parts/steady-engine.mjs";

const SCALE = Number(process.env.SCALE ?? 1);
const STEPS = Math.round(51_200 * SCALE);
const THREADS = Math.round(100_000 * SCALE);
const BLOBS = Math.round(1_000_000 * SCALE);
const LONG_BLOB_BYTES = Math.round(64 * 1024 * 1024 * SCALE);
/** Blobs that are made durable together. */
const BATCH = 5_000;

const PARTS = {
  steps: () => inMemory(longThread),
  threads: () => inMemory(manyThreads),
  blobs: async () => {
    await inMemory((folder) => manyBlobs(folder, "packed"));
    await inMemory((folder) => manyBlobs(folder, "files"));
  },
  blob: () => inMemory(longBlob),
};

/** What is measured is reading and sums; how long a flush takes is the durable step's business. */
const inMemory = (use) => withScratchFolder(use, { flushes: "cost-nothing" });

async function longThread(folder) {
  const engine = await openSteadyEngine(folder, { store: "packed" });
  const { threadId } = await idleThread(engine);
  const startedAt = performance.now();
  await makeSteps(engine, threadId, STEPS);
  await engine.store.close();
  said(`\na thread of ${n(STEPS)} steps, made in ${s(performance.now() - startedAt)}`);
  await look(folder, ["thread", "show", threadId, "--json"]);
  await look(folder, ["thread", "context", threadId]);
  await look(folder, ["thread", "exec", threadId]);
  await look(folder, ["thread", "verify", threadId]);
  await look(folder, ["thread", "fork", threadId, "--idle"]);
}

async function manyThreads(folder) {
  const engine = await openSteadyEngine(folder, { store: "packed" });
  const first = await idleThread(engine);
  const startedAt = performance.now();
  for (let made = 0; made < THREADS; made += BATCH) {
    const copies = Array.from({ length: Math.min(BATCH, THREADS - made) }, (_unused, at) => {
      const createdAt = first.createdAt + made + at;
      const { limits, agent, ...thread } = first;
      return { ...thread, threadId: newThreadId(createdAt), createdAt, updatedAt: createdAt };
    });
    await engine.store.adopt(copies);
  }
  await engine.store.close();
  said(`\n${n(THREADS)} threads, made in ${s(performance.now() - startedAt)}`);
  await look(folder, ["thread", "list", "--limit", "20"]);
  await look(folder, ["thread", "list", "--json"]);
  await look(folder, ["thread", "ps"]);
  await look(folder, ["thread", "show", first.threadId]);
  await look(folder, ["cas", "gc", "--dry-run"]);
}

async function manyBlobs(folder, kind) {
  const root = join(folder, "root");
  const paths = storagePaths(root);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "workflow.yaml"), `config:\n  store: ${kind}\n`, { mode: 0o600 });
  const { threads, blobs: table } = await openIndex(root);
  const cas = openRootStore({ dir: paths.cas, table, threads, kind });
  const startedAt = performance.now();
  // Every second one is held by a thread, through a chain of artifacts a thousand wide.
  let held = [];
  for (let made = 0; made < BLOBS; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, BLOBS - made) }, (_unused, at) =>
      encodeContent(`blob ${made + at} of many, with a few words in it`),
    );
    const live = batch.filter((_blob, at) => at % 2 === 0).map(({ hash }) => hash);
    const holder = encodeContent(`holder of ${made}`, [...live, ...held]);
    held = [holder.hash];
    await cas.putBatch([...batch, holder]);
  }
  await hold(threads, cas, held);
  await threads.close();
  said(`\n${n(BLOBS)} blobs (${kind}), made in ${s(performance.now() - startedAt)}`);
  await look(folder, ["cas", "get", held[0]]);
  await look(folder, ["cas", "fsck"]);
  await look(folder, ["cas", "gc"]);
  await look(folder, ["cas", "gc", "--grace", "0"]);
}

/** A thread whose prompt refers to the blobs. */
async function hold(threads, cas, refs) {
  const prompt = encodeContent("hold them", refs);
  const nowMs = Date.now();
  const bundle = "EYHPV6X8XHTCS";
  const digests = { [prompt.hash]: prompt.sha256, [bundle]: "0".repeat(64) };
  const payload = {
    name: "held",
    hash: bundle,
    depth: 0,
    parentState: null,
    externals: {},
    digests,
  };
  const start = encodeStart(payload, [prompt.hash]);
  await cas.putBatch([prompt, start]);
  await threads.create(
    {
      threadId: newThreadId(nowMs),
      workflow: "held",
      bundleHash: bundle,
      startHash: start.hash,
      head: start.hash,
      headSha256: start.sha256,
      stepCount: 0,
      depth: 0,
      parentThread: null,
      cwd: "/",
      forkedFrom: null,
      startedAt: nowMs,
      createdAt: nowMs,
    },
    null,
  );
}

async function longBlob(folder) {
  mkdirSync(join(folder, "root"), { recursive: true });
  const file = join(folder, "long.txt");
  writeFileSync(file, "x".repeat(LONG_BLOB_BYTES));
  said(`\na blob of ${n(LONG_BLOB_BYTES)} bytes`);
  const hash = (await look(folder, ["cas", "put", "-"], file)).trim();
  const bytes = await look(folder, ["cas", "get", "--payload", hash]);
  if (bytes.length !== LONG_BLOB_BYTES) throw new Error(`${bytes.length} bytes came back`);
  await look(folder, ["cas", "fsck"]);
}

/** Runs the built command; prints how long it took and the most memory it had. Returns what it said. */
async function look(folder, args, stdin = null) {
  const root = join(folder, "root");
  const output = join(folder, "output");
  const words = ["-c", 'exec "$0" "$@" >"$OUTPUT"', process.execPath, COMMAND, ...args];
  if (stdin !== null) words[1] += ' <"$INPUT"';
  const startedAt = performance.now();
  const child = spawn("sh", words, {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      WORKFLOW_STORAGE_ROOT: root,
      OUTPUT: output,
      INPUT: stdin ?? "",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const memory = watchMemory(child.pid);
  const [code] = await once(child, "exit");
  const tookMs = performance.now() - startedAt;
  memory.stop();
  if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}`);
  const shown = args.map((word) => (word.length > 20 ? `${word.slice(0, 6)}…` : word)).join(" ");
  said(`  ${shown.padEnd(34)}${s(tookMs).padStart(9)}${`${memory.peakMiB()} MiB`.padStart(12)}`);
  return readFileSync(output, "utf8");
}

function watchMemory(pid) {
  let peakKiB = 0;
  const timer = setInterval(() => {
    try {
      const [, kib = "0"] =
        /^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      peakKiB = Math.max(peakKiB, Number(kib));
    } catch {
      // It has ended.
    }
  }, 5);
  return { stop: () => clearInterval(timer), peakMiB: () => Math.round(peakKiB / 1024) };
}

const said = (line) => console.log(line);
const n = (count) => count.toLocaleString("en-US");
const s = (ms) => `${(ms / 1000).toFixed(2)} s`;

const wanted = process.argv.slice(2);
const parts = Object.entries(PARTS).filter(
  ([name]) => wanted.length === 0 || wanted.includes(name),
);
if (parts.length === 0) throw new Error(`there are: ${Object.keys(PARTS).join(", ")}`);
for (const [, run] of parts) await run();
