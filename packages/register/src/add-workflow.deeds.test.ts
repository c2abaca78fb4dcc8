/** Bundles that do something when they are imported: files, programs, processes, the network. Each is refused with a
 *  sentence that says what it did, and nothing of it happened. */
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Attempt, atImport, attempt, type Make } from "./attempt.test.helper.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Returns why it was refused, once nothing of it is left. */
async function refusal(make: Make): Promise<Attempt> {
  const made = await attempt(make, onTestFinished);
  expect(made.left).toEqual([]);
  return made;
}
let server: Server;
let connections = 0;
let port = 0;

beforeAll(async () => {
  server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => {
  server.close();
});

describe("a bundle that acts when it is imported", () => {
  const PATH = 'import { join } from "node:path"; const here = ';
  const inFolder =
    (code: string) =>
    (folder: string): string =>
      `${PATH}${JSON.stringify(folder)};\n${code}`;

  it.each([
    [
      "writes a file",
      inFolder('import fs from "node:fs"; fs.writeFileSync(join(here, "x"), "x");'),
      "writes a file (writeFileSync)",
    ],
    [
      "writes a file and swallows the error",
      inFolder('import fs from "node:fs"; try { fs.writeFileSync(join(here, "x"), "x") } catch {}'),
      "writes a file (writeFileSync)",
    ],
    [
      "writes a file and takes over every list that records it",
      inFolder(
        'import fs from "node:fs"; Array.prototype.push = () => 0; Array.prototype.includes = () => true; Set.prototype.has = () => true; try { fs.writeFileSync(join(here, "x"), "x") } catch {}',
      ),
      "writes a file (writeFileSync)",
    ],
    [
      "opens a file for writing and forges every report",
      inFolder(
        'import fs from "node:fs"; Object.prototype.toJSON = function () { return this.attempts ? { ...this, attempts: [] } : this }; Array.prototype.toJSON = () => []; try { fs.openSync(join(here, "x"), "w") } catch {}',
      ),
      "writes a file (openSync)",
    ],
    [
      "writes a file and replaces the functions that write and encode",
      inFolder(
        'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; fs.writeSync = () => 0; Buffer.from = () => new Uint8Array(0); Buffer.prototype.utf8Write = () => 0; JSON.stringify = () => "{}"; String.prototype.slice = () => ""; syncBuiltinESMExports(); try { fs.writeFileSync(join(here, "x"), "x") } catch {}',
      ),
      "writes a file (writeFileSync)",
    ],
    [
      "writes a file through require",
      inFolder(
        'import { createRequire } from "node:module"; createRequire(import.meta.url)("fs").appendFileSync(join(here, "x"), "x");',
      ),
      "writes a file (appendFileSync)",
    ],
    [
      "writes a file through getBuiltinModule",
      inFolder(
        'process.getBuiltinModule("node:fs/promises").writeFile(join(here, "x"), "x").catch(() => {});',
      ),
      "writes a file (writeFile)",
    ],
    [
      "writes a file through a stream",
      inFolder(
        'import { WriteStream } from "node:fs"; new WriteStream(join(here, "x")).on("error", (e) => { throw e });',
      ),
      "writes a file",
    ],
    [
      "opens a file for writing",
      inFolder('import { openSync } from "node:fs"; openSync(join(here, "x"), "w");'),
      "writes a file (openSync)",
    ],
    [
      "makes a folder",
      inFolder('import { mkdirSync } from "node:fs"; mkdirSync(join(here, "x"));'),
      "writes a file (mkdirSync)",
    ],
    [
      "writes a trace file",
      'import { createTracing } from "node:trace_events"; createTracing({ categories: ["node"] }).enable();',
      "writes a file (createTracing)",
    ],
    [
      "writes a heap snapshot",
      inFolder('import v8 from "node:v8"; v8.writeHeapSnapshot(join(here, "x"));'),
      "writes a file (writeHeapSnapshot)",
    ],
    ["writes a report", inFolder('process.report.writeReport(join(here, "x"));'), "writes a file"],
    [
      "reads a file",
      'import { readFileSync } from "node:fs"; readFileSync("/etc/hostname");',
      "reads a file (/etc/hostname)",
    ],
    ["imports a file", 'await import("/etc/hostname");', "reads a file"],
    [
      "starts a program",
      'import { spawn } from "node:child_process"; spawn("true");',
      "starts a program (spawn)",
    ],
    [
      "starts a program and swallows the error",
      'import { execSync } from "node:child_process"; try { execSync("true") } catch {}',
      "starts a program (execSync)",
    ],
    [
      "becomes another program",
      'process.execve("/bin/true", ["true"], {});',
      "starts a program (execve)",
    ],
    [
      "starts a worker thread",
      'import { Worker } from "node:worker_threads"; new Worker("1", { eval: true });',
      "starts a worker thread",
    ],
    [
      "signals another process",
      "process.kill(process.ppid, 0);",
      "reaches for another process (kill)",
    ],
    [
      "slows another process down",
      'import os from "node:os"; os.setPriority(process.ppid, 0);',
      "reaches for another process (setPriority)",
    ],
    [
      "loads a native addon",
      'process.dlopen({ exports: {} }, "/x.node");',
      "reaches for Node's native parts (dlopen)",
    ],
    [
      "changes flags of the engine",
      'import v8 from "node:v8"; v8.setFlagsFromString("--trace-gc");',
      "changes the engine's flags",
    ],
    [
      "changes how modules load",
      'import { registerHooks } from "node:module"; registerHooks({});',
      "changes how modules load",
    ],
    ["opens a database", 'await import("node:sqlite");', "No such built-in module: node:sqlite"],
  ])("%s", async (_, code, message) => {
    const { code: found, message: said } = await refusal(atImport(code));
    expect(said).toContain(message);
    expect(found).toBe("BUNDLE_INVALID");
  });

  it.each([
    [
      "net.connect",
      'import net from "node:net"; net.connect(PORT, "127.0.0.1").on("error", () => {});',
    ],
    ["a socket", 'import { Socket } from "node:net"; new Socket().connect(PORT, "127.0.0.1");'],
    ["a server", 'import { createServer } from "node:net"; createServer().listen(0);'],
    [
      "a Unix socket",
      'import { createServer } from "node:net"; createServer().listen("/tmp/register-test.sock");',
    ],
    ["TLS", 'import tls from "node:tls"; tls.connect(PORT, "127.0.0.1").on("error", () => {});'],
    ["a raw handle", 'import tls from "node:tls"; new tls.TLSSocket();'],
    [
      "http",
      'import http from "node:http"; http.get("http://127.0.0.1:PORT/").on("error", () => {});',
    ],
    [
      "an agent that it kept",
      'import { Agent } from "node:http"; new Agent().createConnection({ port: PORT, host: "127.0.0.1" });',
    ],
    ["https", 'import { request } from "node:https"; request("https://127.0.0.1:PORT/");'],
    ["http2", 'import http2 from "node:http2"; http2.connect("http://127.0.0.1:PORT/");'],
    [
      "dgram",
      'import { createSocket } from "node:dgram"; createSocket("udp4").send("x", PORT, "127.0.0.1");',
    ],
    ["fetch", 'fetch("http://127.0.0.1:PORT/");'],
    ["fetch, awaited and swallowed", 'try { await fetch("http://127.0.0.1:PORT/") } catch {}'],
    ["WebSocket", 'new WebSocket("ws://127.0.0.1:PORT/");'],
    [
      "require",
      'import { createRequire } from "node:module"; createRequire(import.meta.url)("net").connect(PORT);',
    ],
    ["getBuiltinModule", 'process.getBuiltinModule("net").createConnection(PORT);'],
    [
      "a prototype",
      'import net from "node:net"; net.Socket.prototype.connect.call(new net.Socket(), PORT);',
    ],
  ])("opens a socket with %s", async (_, code) => {
    const before = connections;
    const { code: found, message } = await refusal(atImport(code.replaceAll("PORT", String(port))));
    expect(message).toContain("opens a socket (");
    expect(found).toBe("BUNDLE_INVALID");
    expect(connections).toBe(before);
  });
});
