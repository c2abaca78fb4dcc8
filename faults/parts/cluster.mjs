/** A root in a PostgreSQL of its own, and machines that use it: each has a folder, a network namespace and a way to the
 *  server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkStorage, verifyThread } from "@uncaged/workflow-execute";
import { startEmbeddedServer, stopEmbeddedServer } from "@uncaged/workflow-store-postgres";
import { KEYS } from "./bucket.mjs";
import { COMMAND, document, runProgram } from "./command.mjs";
import { expectNoProcess, processesOf } from "./expect-sound.mjs";
import { openNetwork } from "./network.mjs";
import { register, withEngine } from "./scene.mjs";

const PATIENCE_MS = 120_000;
/** Nothing here outlives a power cut. */
const SETTINGS = { fsync: "off" };
const OTHER_CLOCK = new URL("other-clock.mjs", import.meta.url).href;

/** Lends a cluster to one case: `machine(name)` makes a machine; with a bucket, large blobs are there. `address`: where
 *  machines find who is outside of them. */
export async function withCluster({ folder, bundles }, use) {
  const dir = mkdtempSync(join(folder, "cluster-"));
  // The server's user has to get through.
  for (const each of [folder, dir]) chmodSync(each, 0o711);
  const place = { folder: join(dir, "postgres"), settings: SETTINGS };
  const { url } = await startEmbeddedServer(place);
  const network = openNetwork();
  const machines = [];
  const machine = async (name, bucket = null) => {
    const way = await wayTo(url, network.address);
    const root = join(dir, name, "root");
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const env = bucket === null ? {} : KEYS;
    const s3 = bucket === null ? [] : ["--s3", bucket.url];
    await document(["root", "init", "--postgres", way.url, "--name", "faults", ...s3], {
      root,
      env,
    });
    machines.push({ name, root, env, way, wire: network.join(), hosts: [] });
    return machines.at(-1);
  };
  const server = {
    /** As if its power had gone. */
    kill: () => process.kill(postmasterOf(place.folder), "SIGQUIT"),
    start: async () => {
      const again = await startEmbeddedServer(place);
      for (const { way } of machines) way.leadTo(again.url);
    },
  };
  try {
    return await use({ dir, address: network.address, machine, server, bundles });
  } finally {
    for (const { root } of machines) for (const pid of processesOf(root)) signal(pid, "SIGKILL");
    for (const { way } of machines) way.close();
    network.close();
    await stopEmbeddedServer(place);
    rmSync(dir, { recursive: true, force: true });
  }
}

const postmasterOf = (folder) =>
  Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);

/** Starts the host of a machine. With a host name, process ids and a network of its own it is nobody's neighbour: who looks
 *  from elsewhere cannot know whether its processes live. `clockMs`: by how much the clock of its processes is ahead. */
export function startHost(machine, { isApart = true, clockMs = 0 } = {}) {
  const { root, env, name, wire } = machine;
  const node = clockMs === 0 ? process.execPath : nodeWithClock(machine, clockMs);
  const up = [node, COMMAND, "up"];
  // The shell collects what ends in there.
  const alone = [
    ...wire.words,
    "unshare",
    "--uts",
    "--pid",
    "--fork",
    "--mount-proc",
    "sh",
    "-c",
    'hostname "$0"; "$@"',
    name,
  ];
  const how = { root, env, patienceMs: 600_000 };
  const [program, ...args] = isApart ? [...alone, ...up] : up;
  machine.hosts.push(runProgram(program, args, how));
}

/** A Node for a machine whose processes, and those that they start with the Node that they are, have another clock. */
function nodeWithClock({ root }, clockMs) {
  const file = join(root, "..", "node");
  const line = `FAULTS_CLOCK_MS=${clockMs} FAULTS_NODE="$0" exec "${process.execPath}" --import="${OTHER_CLOCK}" "$@"`;
  writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
}

/** All processes of a machine: its host, its workers, their agents. */
export function signalAll({ root }, name) {
  for (const pid of processesOf(root)) signal(pid, name);
}

function signal(pid, name) {
  try {
    process.kill(Number(pid), name);
  } catch {
    // It ended just now.
  }
}

/** A queued thread; its working directory is `<dir>/<name>`. */
export async function queued({ dir }, machine, { name, workflow, prompt }) {
  const cwd = join(dir, name);
  mkdirSync(cwd);
  const args = ["run", workflow, "--queue", "--prompt", JSON.stringify(prompt)];
  const { root, env } = machine;
  const { threadId } = await document(args, { root, env, cwd });
  return { threadId, work: cwd };
}

export const registered = ({ bundles }, { root }, name) =>
  withEngine(root, (engine) => register(engine, name, bundles[name]));

export async function until(what, holds) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < giveUpAt, `it never came: ${typeof what === "string" ? what : what()}`);
    await sleep(50);
  }
}

/** Waits until all have completed, seen from a machine; then nothing is lost or broken, and the hosts leave nothing. */
export async function expectCompleted(machine, threads, others = []) {
  await withEngine(machine.root, async (engine) => {
    for (const { threadId } of threads) {
      const thread = () => engine.store.get(threadId);
      let last = null;
      await until(
        () => `the end of ${threadId}: ${JSON.stringify(last)}`,
        async () => {
          last = await thread();
          return last.status === "completed";
        },
      );
      const { problems } = await verifyThread(engine, await thread());
      assert.deepEqual(problems, [], `thread verify ${threadId}`);
    }
    const { problems } = await checkStorage(engine);
    assert.deepEqual(problems, [], "cas fsck");
  });
  for (const each of [machine, ...others]) {
    signalAll(each, "SIGTERM");
    await expectNoProcess(each);
    await Promise.all(each.hosts);
  }
}

/** A way to a server. `atAnswer(n, deed)` does something once the server has sent its n-th answer from then on, and before
 *  that arrives; an answer is what comes at once. When the deed returns `lose`, the answer never arrives, and the connection
 *  is gone. */
async function wayTo(url, address) {
  let to = new URL(url);
  let awaited = { n: Number.POSITIVE_INFINITY, deed: () => {} };
  const isLost = () => {
    awaited.n -= 1;
    return awaited.n === 0 && awaited.deed() === "lose";
  };
  const sockets = new Set();
  const proxy = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(socket);
      socket.on("data", (bytes) => {
        if (socket === upstream && isLost()) client.destroy();
        else other.write(bytes);
      });
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  proxy.listen(0, address);
  await once(proxy, "listening");
  const through = new URL(url);
  through.hostname = address;
  through.port = String(proxy.address().port);
  return {
    url: through.href,
    atAnswer: (n, deed) => {
      awaited = { n, deed };
    },
    leadTo: (other) => {
      to = new URL(other);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
