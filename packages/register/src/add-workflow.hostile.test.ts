/** Bundles that nobody should register. Each is refused with a stable code and a message that says what it does;
 *  afterwards the storage root is as it was, and none of our processes is left. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { failure } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type AddWorkflow, addWorkflow } from "./add-workflow.ts";
import {
  alone,
  bundleSource,
  DESCRIPTOR,
  emptyBase,
  lockedChildren,
  plant,
  scratchFolder,
  tree,
} from "./scratch.test.helper.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

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

type Refusal = { code: string; message: string; hint: string };

/** Adds what `make` puts into a folder, and checks that nothing is left of the attempt. */
async function refusal(
  make: (folder: string) => string,
  options: Partial<AddWorkflow> = {},
): Promise<Refusal> {
  const folder = scratchFolder(onTestFinished);
  const root = join(folder, "root");
  plant(root, { "workflow.yaml": "# mine\n" });
  const file = make(folder);
  const before = tree(root);
  const rootFolder = readdirSync("/").sort();
  const added = await addWorkflow({
    root,
    packagesBase: emptyBase(folder),
    name: "flow",
    file,
    types: null,
    checkRule: () => null,
    exclusively: alone,
    nowMs: 1,
    ...options,
  });
  expect(tree(root)).toEqual(before);
  // The child's working directory, where a trace or a core file would be.
  expect(readdirSync("/").sort()).toEqual(rootFolder);
  expect(lockedChildren()).toEqual([]);
  if (added.ok) throw new Error("it was added");
  return added.error;
}

function source(text: string | ((folder: string) => string)): (folder: string) => string {
  return (folder) => {
    plant(folder, { "flow.esm.js": typeof text === "string" ? text : text(folder) });
    return join(folder, "flow.esm.js");
  };
}

const atImport = (code: string | ((folder: string) => string)): ((folder: string) => string) =>
  source((folder) => bundleSource(typeof code === "string" ? code : code(folder)));

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
      "writes a file by require",
      inFolder(
        'import { createRequire } from "node:module"; createRequire(import.meta.url)("fs").appendFileSync(join(here, "x"), "x");',
      ),
      "writes a file (appendFileSync)",
    ],
    [
      "writes a file by getBuiltinModule",
      inFolder(
        'process.getBuiltinModule("node:fs/promises").writeFile(join(here, "x"), "x").catch(() => {});',
      ),
      "writes a file (writeFile)",
    ],
    [
      "writes a file by a stream",
      inFolder(
        'import { WriteStream } from "node:fs"; new WriteStream(join(here, "x")).on("error", (e) => { throw e });',
      ),
      "writes a file",
    ],
    [
      "opens a file to write",
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

  it.each([
    [
      "looks a name up",
      'import dns from "node:dns"; dns.lookup("localhost", () => {});',
      "BUNDLE_INVALID",
      "asks the domain name system (lookup)",
    ],
    ["never returns", "for (;;) {}", "BUNDLE_TIMEOUT", "was not imported after 3 s"],
    [
      "waits for nothing",
      "await new Promise(() => {});",
      "BUNDLE_INVALID",
      "a top-level await waits for nothing",
    ],
    [
      "ends the process",
      "process.exit(0);",
      "BUNDLE_INVALID",
      "ends the process when it is imported (exit code 0)",
    ],
    [
      "aborts the process",
      "process.abort();",
      "BUNDLE_INVALID",
      "ends the process when it is imported (SIGABRT)",
    ],
    [
      "throws",
      'throw new TypeError("not today");',
      "BUNDLE_INVALID",
      "throws when it is imported: TypeError: not today (line 1:7)",
    ],
    [
      "throws nothing",
      "throw undefined;",
      "BUNDLE_INVALID",
      "throws when it is imported: Error: undefined",
    ],
    [
      "throws something odd",
      "throw new Proxy({}, { get() { throw 1 } });",
      "BUNDLE_INVALID",
      "throws when it is imported",
    ],
    [
      "leaves a rejection",
      'Promise.reject(new Error("later"));',
      "BUNDLE_INVALID",
      "leaves an error that nobody catches when it is imported: Error: later",
    ],
    [
      "throws in a callback",
      'setImmediate(() => { throw new Error("later") });',
      "BUNDLE_INVALID",
      "leaves an error that nobody catches when it is imported: Error: later",
    ],
    [
      "floods standard output",
      'for (let i = 0; ; i += 1) process.stdout.write("x".repeat(9999));',
      "BUNDLE_INVALID",
      "floods standard output",
    ],
    [
      "floods standard error",
      'import { writeSync } from "node:fs"; for (;;) writeSync(2, "x".repeat(9999));',
      "BUNDLE_INVALID",
      "floods standard error",
    ],
    [
      "eats memory",
      "const eaten = []; for (;;) eaten.push(new Array(1e5).fill({}));",
      "BUNDLE_INVALID",
      "needs more than 128 MiB of memory",
    ],
    [
      "forges a report",
      `import { writeSync } from "node:fs"; writeSync(3, "0".repeat(32) + ' {"kind":"loaded","exports":[],"descriptor":{"kind":"json"},"attempts":[]}\\n');`,
      "BUNDLE_INVALID",
      "writes to the channel of its checker",
    ],
    [
      "floods the report",
      'import { writeSync } from "node:fs"; for (;;) writeSync(3, "x".repeat(9999));',
      "BUNDLE_INVALID",
      "floods the channel of its checker",
    ],
    [
      "closes the report",
      'import { closeSync } from "node:fs"; closeSync(3);',
      "BUNDLE_INVALID",
      "ends the process when it is imported",
    ],
    [
      "changes every global",
      'JSON.stringify = () => "{}"; JSON.parse = null; globalThis.setImmediate = null; Reflect.ownKeys = null; process.exit = null; throw new Error("so there");',
      "BUNDLE_INVALID",
      "so there",
    ],
    [
      "imports a package it should contain",
      'import "left-pad";',
      "BUNDLE_INVALID",
      'imports "left-pad"',
    ],
    ["imports its neighbour", 'import "./other.js";', "BUNDLE_INVALID", 'imports "./other.js"'],
    [
      "imports from the web",
      'import "https://example.org/x.js";',
      "BUNDLE_INVALID",
      'imports "https://example.org/x.js"',
    ],
    [
      "imports a package that is not installed",
      'import "@uncaged/workflow-agent-nothing/sub";',
      "BUNDLE_UNRESOLVED",
      "not installed: @uncaged/workflow-agent-nothing",
    ],
  ])("%s", async (_, code, found, message) => {
    const said = await refusal(atImport(code));
    expect(said.message).toContain(message);
    expect(said.code).toBe(found);
    expect(said.hint).not.toBe("");
  });
});

describe("a bundle of the wrong exports", () => {
  const run = "export async function* run() {}";
  const descriptor = `export const descriptor = ${JSON.stringify(DESCRIPTOR)};`;

  it.each([
    ["none", "// nothing\n", "does not export run; does not export descriptor"],
    [
      "a default export",
      `${run}\n${descriptor}\nexport default run;`,
      "exports more than that: a default export",
    ],
    ["only a default export", "export default {};", "does not export run"],
    [
      "one more",
      `${run}\n${descriptor}\nexport const helper = 1;`,
      "exports more than that: helper",
    ],
    [
      "`then`, to take part in the import",
      `${run}\n${descriptor}\nexport function then(give) { give({ run, descriptor }); }`,
      "exports more than that: then",
    ],
    [
      "`run` that is no function",
      `export const run = 1;\n${descriptor}`,
      "exports run as a number, not as a function",
    ],
    [
      "`descriptor` that is a function",
      `${run}\nexport function descriptor() {}`,
      "exports descriptor as a function, not as a object",
    ],
  ])("%s", async (_, text, message) => {
    const said = await refusal(source(text));
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_EXPORTS");
  });
});

describe("a bundle with a wrong descriptor", () => {
  const edge = { condition: "FALLBACK", when: null, prompt: null, location: null };

  it.each([
    ["that lacks parts", { description: "x" }, "roles: "],
    ["with a key more", { ...DESCRIPTOR, extra: 1 }, "extra"],
    ["of no role", { ...DESCRIPTOR, roles: {}, graph: { edges: [] } }, "has no role"],
    [
      "with an edge to no role",
      { ...DESCRIPTOR, graph: { edges: [{ from: "__start__", to: "nobody", ...edge }] } },
      'graph.edges.0 leads to "nobody", which is no role',
    ],
    [
      "with an edge from no role",
      { ...DESCRIPTOR, graph: { edges: [{ from: "nobody", to: "greeter", ...edge }] } },
      'graph.edges.0 comes from "nobody", which is no role',
    ],
    [
      "with an edge to a property of every object",
      { ...DESCRIPTOR, graph: { edges: [{ from: "__start__", to: "constructor", ...edge }] } },
      'leads to "constructor"',
    ],
    [
      "with a role named by a path",
      { ...DESCRIPTOR, roles: { "../x": DESCRIPTOR.roles.greeter } },
      "roles",
    ],
    ["that is null", null, "descriptor"],
    ["that is a list", [1], "descriptor"],
  ])("%s", async (_, descriptor, message) => {
    const said = await refusal(source(bundleSource("", descriptor)));
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_INVALID");
  });

  it.each([
    [
      "that refers to itself",
      "const descriptor = {}; descriptor.self = descriptor; export { descriptor };",
      "not plain data",
    ],
    [
      "that throws when it is read",
      "export const descriptor = { get description() { throw 1 } };",
      "not plain data",
    ],
    [
      "that is huge",
      'export const descriptor = { description: "x".repeat(5 * 1024 * 1024) };',
      "more than 4 MiB",
    ],
    [
      "that is too deep",
      `let deep = {}; for (let i = 0; i < 500; i += 1) deep = { deep };
       export const descriptor = { description: "", roles: { a: { description: "", systemPrompt: "", schema: deep } }, graph: { edges: [] } };`,
      "roles.a.schema: must be a plain JSON object",
    ],
  ])("%s", async (_, text, message) => {
    const said = await refusal(source(`export async function* run() {}\n${text}`));
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_INVALID");
  });

  it("other than the one in the file beside it", async () => {
    for (const beside of [
      JSON.stringify({ ...DESCRIPTOR, description: "Harmless" }),
      "not JSON",
      "",
    ]) {
      const said = await refusal((folder) => {
        plant(folder, { "flow.descriptor.json": beside });
        return source(bundleSource())(folder);
      });
      expect(said.code).toBe("BUNDLE_DESCRIPTOR_MISMATCH");
      expect(said.message).toContain("flow.descriptor.json");
    }
  });

  it("with a rule that its caller refuses; the message names the rule's place", async () => {
    const said = await refusal(source(bundleSource()), {
      checkRule: (when) => failure("RULE_INVALID", `no: ${when}`, "mend the rule"),
    });
    expect(said).toEqual({
      code: "RULE_INVALID",
      message: expect.stringContaining(
        'rule "done" from greeter to __end__ (graph.edges.1.when): no: last.meta.done',
      ),
      hint: "mend the rule",
    });
  });
});

describe("a file that is no bundle", () => {
  it.each([
    ["is empty", source(""), "is empty"],
    [
      "is not JavaScript",
      source("hello, world!"),
      "is not JavaScript that Node understands: SyntaxError",
    ],
    [
      "is TypeScript",
      source(`const x: number = 1;\n${bundleSource()}`),
      "is not JavaScript that Node understands: SyntaxError",
    ],
    ["breaks off", source("export const run = {"), "flow.esm.js"],
    ["is CommonJS", source("module.exports = {};"), "module is not defined in ES module scope"],
    ["is binary", binary, "is not UTF-8 text"],
    ["is larger than any bundle", huge, "has 65.0 MiB; at most 64.0 MiB are read"],
    ["is a directory", directory, "is a directory"],
    ["is a FIFO", fifo, "is not a regular file"],
    ["is a link to a device", device, "is not a regular file"],
  ])("%s", async (_, make, message) => {
    const said = await refusal(make);
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_INVALID");
  });

  it("is not there, or is a link to nothing", async () => {
    expect((await refusal((folder) => join(folder, "none.js"))).code).toBe("FILE_NOT_FOUND");
    const dangling = (folder: string): string => {
      symlinkSync("none.js", join(folder, "link.js"));
      return join(folder, "link.js");
    };
    expect((await refusal(dangling)).code).toBe("FILE_NOT_FOUND");
  });
});

function binary(folder: string): string {
  writeFileSync(join(folder, "flow.esm.js"), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00]));
  return join(folder, "flow.esm.js");
}

function huge(folder: string): string {
  const file = source(bundleSource())(folder);
  truncateSync(file, 65 * 1024 * 1024);
  return file;
}

function directory(folder: string): string {
  mkdirSync(join(folder, "flow.esm.js"));
  return join(folder, "flow.esm.js");
}

function fifo(folder: string): string {
  spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', join(folder, "flow.esm.js")]);
  return join(folder, "flow.esm.js");
}

function device(folder: string): string {
  symlinkSync("/dev/zero", join(folder, "flow.esm.js"));
  return join(folder, "flow.esm.js");
}

describe("a hostile name", () => {
  it.each([
    "",
    "../x",
    "a/b",
    "A",
    "a b",
    "__proto__",
    "-x",
    "--force",
    "x\n",
    "x\0",
    "ﬂow",
    "а",
    "x".repeat(65),
    ".",
    "..",
  ])("%j is refused before anything is read", async (name) => {
    expect((await refusal((folder) => join(folder, "none.js"), { name })).code).toBe("USAGE");
  });
});
