/** What a gateway costs: a call through its tunnel beside one through a plain proxy, the memory that it needs under
 *  load, and the time until a page is served beside a bare server. For the calls, gateway and engine are in this process
 *  and callers in others; for the memory, the gateway is in one of its own. `--calls n` and `--rounds n` change how many. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connectEngine } from "@uncaged/workflow-gateway";
import { COMMAND } from "./parts/command.mjs";
import { gatewayIn } from "./parts/gateway.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const { values } = parseArgs({
  options: { calls: { type: "string" }, rounds: { type: "string" } },
});
const CALLS = Number(values.calls ?? 3_000);
const ROUNDS = Number(values.rounds ?? 5);
const GATEWAY = fileURLToPath(new URL("parts/gateway.mjs", import.meta.url));
const AT_ONCE = 16;
const WATCH_MS = 4_000;
const LONGEST_MS = 30_000;
const STALLED = 20;
const HALF_OPEN = 1_000;
const MIB = 1_048_576;
const BLOB_BYTES = 64 * MIB;
const [ENDLESS, BLOB] = ["/cas/0000000000000", "/cas/1111111111111"];
const LIST = JSON.stringify({
  threads: Array.from({ length: 20 }, (_, n) => ({ n, title: "x".repeat(60) })),
});
const mib = (bytes) => `${Math.round(bytes / MIB)} MiB`;
/** 10,000 a second. */
const EVENTS_EVERY_MS = 10;
const EVENTS = 'id: 1\ndata: {"type":"live","text":"a word that somebody said"}\n\n'.repeat(100);

const BARE_SERVER = `
  const server = require("node:http").createServer((_, answer) => answer.end("x"));
  server.listen(0, "127.0.0.1", () =>
    console.log(JSON.stringify({ origin: "http://127.0.0.1:" + server.address().port })));`;

await withScratchFolder(async (folder) => {
  const gateway = await gatewayIn(join(folder, "here"));
  const engine = await connected(gateway);
  const proxy = await openProxy();
  try {
    await compareCalls(engine, proxy);
  } finally {
    proxy.close();
    await engine.close();
    await gateway.close();
  }
  await watchMemory(join(folder, "alone"));
  await comparePages(folder);
});
// Sockets that were left half open.
process.exit();

/** An engine that is connected to a gateway, which is here or elsewhere. */
async function connected({ origin, port, tokens }) {
  const end = new AbortController();
  const up = Promise.withResolvers();
  const ended = connectEngine({
    ...{ gateway: origin, token: tokens.engine, name: null, version: "1", allow: ["read"] },
    signal: end.signal,
    handler: answer,
    onState: ({ state }) => state === "connected" && up.resolve(),
  });
  await up.promise;
  return {
    port,
    token: tokens.person,
    async close() {
      end.abort();
      await ended;
    },
  };
}

async function openProxy() {
  const behind = await listening(createServer(answer));
  const proxy = await listening(
    createServer((incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const out = request({ port: behind.port, method, path: url, headers }, (response) => {
        outgoing.writeHead(response.statusCode, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(out);
    }),
  );
  return {
    port: proxy.port,
    close() {
      for (const { server } of [proxy, behind]) server.close().closeAllConnections();
    },
  };
}

async function listening(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: server.address().port };
}

function answer(incoming, outgoing) {
  const { url } = incoming;
  if (url.startsWith("/events")) return sendEvents(outgoing);
  if (url.endsWith(ENDLESS)) return sendBytes(outgoing, Infinity);
  if (url.endsWith(BLOB)) return sendBytes(outgoing, BLOB_BYTES);
  incoming.resume();
  // As the engine's own answers say it.
  outgoing.setHeader("content-type", "application/json");
  outgoing.setHeader("content-length", LIST.length);
  outgoing.end(LIST);
}

function sendEvents(outgoing) {
  const timer = setInterval(() => outgoing.write(EVENTS), EVENTS_EVERY_MS);
  outgoing.on("close", () => clearInterval(timer));
}

function sendBytes(outgoing, bytes) {
  const piece = Buffer.alloc(65_536, "x");
  let left = bytes;
  const more = () => {
    while (left > 0 && !outgoing.destroyed) {
      left -= piece.length;
      if (!outgoing.write(piece)) return outgoing.once("drain", more);
    }
    outgoing.end();
  };
  more();
}

async function compareCalls({ port, token }, proxy) {
  const [plain, tunnel, ratios] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await cpuOfCall(proxy.port, token));
    tunnel.push(await cpuOfCall(port, token));
    ratios.push(tunnel.at(-1) / plain.at(-1));
  }
  printTable(`processor time of a call, ${AT_ONCE} at a time, median of ${ROUNDS}`, [
    { what: "through a plain proxy", figure: ms(median(plain)) },
    {
      what: "through gateway and tunnel",
      figure: ms(median(tunnel)),
      ratio: median(ratios),
      bar: "1.5 ×",
    },
  ]);
}

/** Milliseconds of this process. */
async function cpuOfCall(port, token) {
  const script = `
    const { Agent, get } = require("node:http");
    const agent = new Agent({ keepAlive: true, maxSockets: ${AT_ONCE} });
    const options = { port: ${port}, host: "127.0.0.1", path: "/api/c/e/threads", agent,
      headers: { authorization: "Bearer ${token}" } };
    let left = ${CALLS};
    const next = () => left-- > 0 && get(options, (answer) => {
      if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
      answer.resume().on("end", next);
    });
    for (let n = 0; n < ${AT_ONCE}; n++) next();`;
  const before = process.cpuUsage();
  const caller = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(caller, "exit");
  if (code !== 0) throw new Error("a call failed");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / CALLS;
}

/** Of a gateway alone: its engine and its readers are here. */
async function watchMemory(folder) {
  const gateway = fork(GATEWAY, [folder], { execArgv: [] });
  const [place] = await once(gateway, "message");
  const engine = await connected(place);
  const { port, token } = engine;
  let most = 0;
  gateway.on("message", ({ rss }) => {
    most = Math.max(most, rss);
  });
  await once(gateway, "message");
  const idle = most;
  const sockets = [];
  const open = (text) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(text);
    sockets.push(socket);
    return socket;
  };
  const get = (path) =>
    `GET /api/c/e${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`;
  for (let n = 0; n < STALLED; n += 1) open(get(ENDLESS)).pause();
  for (let n = 0; n < HALF_OPEN; n += 1) open("GET / HT");
  let events = 0;
  open(get("/events?topics=threads")).on("data", (chunk) => {
    events += chunk.toString("latin1").split("\ndata: ").length - 1;
  });
  let loaded = 0;
  open(get(BLOB)).on("data", (chunk) => {
    loaded += chunk.length;
  });
  const startedAt = performance.now();
  const tookMs = () => performance.now() - startedAt;
  while (tookMs() < WATCH_MS || (loaded < BLOB_BYTES && tookMs() < LONGEST_MS)) await sleep(50);
  const perSecond = Math.round((events * 1_000) / tookMs());
  for (const socket of sockets) socket.destroy();
  await engine.close();
  gateway.kill();
  if (events === 0 || loaded < BLOB_BYTES)
    throw new Error(`stalled readers held others up: ${events} events, ${mib(loaded)} of the blob`);
  printTable(`memory of a gateway: ${STALLED} stalled readers, ${HALF_OPEN} half-open sockets`, [
    { what: "before", figure: mib(idle) },
    { what: "most, with events and a blob of 64 MiB", figure: mib(most), bar: "300 MiB" },
    { what: "events that were read", figure: `${perSecond} /s` },
  ]);
}

async function comparePages(folder) {
  mkdirSync(join(folder, "home"));
  const [bare, dashboard, ratios] = [[], [], []];
  const args = [COMMAND, "--json", "dashboard", "--no-open", "--port", "0"];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await untilServed(["-e", BARE_SERVER], folder));
    dashboard.push(await untilServed(args, folder));
    ratios.push(dashboard.at(-1) / bare.at(-1));
  }
  printTable(`from the start until a page is served, median of ${ROUNDS}`, [
    { what: "a bare server of Node", figure: ms(median(bare)) },
    { what: "dashboard", figure: ms(median(dashboard)), ratio: median(ratios), bar: "5 ×" },
  ]);
}

async function untilServed(args, folder) {
  const home = join(folder, "home");
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: home, WORKFLOW_STORAGE_ROOT: join(home, "root") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const page = await fetch(`${JSON.parse(value).origin}/`);
  await page.text();
  const tookMs = performance.now() - startedAt;
  child.kill();
  await exit;
  if (!page.ok) throw new Error(`the page: ${page.status}`);
  return tookMs;
}
