/** Start-up of the built command against a bare Node, and `thread list` with 10 and 10,000 threads.
 *
 *  Every round runs each case once, one after the other, so that a busy moment hits all of them alike;
 *  medians are compared. Bars: 2 × a bare Node for `--version` and `--help`, 3 × for `cas put`,
 *  2 × the list of 10 for the list of 10,000. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openThreadStore } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";

const BIN = fileURLToPath(new URL("../bin/uncaged-workflow.mjs", import.meta.url));
const ROUNDS = 31;

const folder = mkdtempSync(join(tmpdir(), "uwf-bench-"));
const few = await rootWith(10);
const many = await rootWith(10_000);
const CASES = [
  { name: "node -e 0", args: ["-e", "0"], root: few },
  { name: "--version", args: [BIN, "--version"], root: few, bar: [2, "node -e 0"] },
  { name: "--help", args: [BIN, "--help"], root: few, bar: [2, "node -e 0"] },
  { name: "cas put", args: [BIN, "cas", "put", "hello"], root: few, bar: [3, "node -e 0"] },
  { name: "thread list (10)", args: [BIN, "thread", "list", "--json"], root: few },
  {
    name: "thread list (10,000)",
    args: [BIN, "thread", "list", "--json"],
    root: many,
    bar: [2, "thread list (10)"],
  },
];

try {
  report(measure());
} finally {
  rmSync(folder, { recursive: true });
}

function measure() {
  const times = new Map(CASES.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, args, root } of CASES) times.get(name).push(run(args, root));
  }
  return new Map([...times].map(([name, list]) => [name, median(list)]));
}

/** Milliseconds from start to exit. */
function run(args, root) {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, WORKFLOW_STORAGE_ROOT: root },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: exit ${status}\n${stderr}`);
  return performance.now() - startedMs;
}

function median(list) {
  return list.sort((a, b) => a - b)[list.length >> 1];
}

function report(medians) {
  for (const { name, bar } of CASES) {
    const ms = `${medians.get(name).toFixed(1).padStart(7)} ms`;
    const [limit, base] = bar ?? [];
    const ratio = base === undefined ? "" : (medians.get(name) / medians.get(base)).toFixed(2);
    const verdict = base === undefined ? "" : `  ${ratio} × ${base} (bar: ${limit} ×)`;
    console.log(`${name.padEnd(22)}${ms}${verdict}`);
  }
}

async function rootWith(threads) {
  const root = join(folder, `threads-${threads}`);
  const store = await openThreadStore(root);
  for (let count = 0; count < threads; count++) await store.create(anyThread(), null);
  await store.close();
  return root;
}

/** Only listed, never run: its hashes name nothing. */
function anyThread() {
  const now = Date.now();
  return {
    threadId: newThreadId(now),
    workflow: "bench",
    bundleHash: "0000000000000",
    startHash: "0000000000000",
    head: "0000000000000",
    headSha256: "0".repeat(64),
    stepCount: 3,
    depth: 0,
    parentThread: null,
    cwd: folder,
    forkedFrom: null,
    startedAt: now,
    createdAt: now,
  };
}
