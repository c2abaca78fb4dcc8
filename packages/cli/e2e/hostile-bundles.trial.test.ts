/** `workflow add` with files that nobody should run: a clear error, and nothing changed. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { runBash } from "./shell.test.helper.ts";

const RUN = 'export async function* run() { return { returnCode: 0, summary: "" }; }\n';
const DESCRIPTOR = `export const descriptor = {
  description: "honest",
  roles: { worker: { description: "", systemPrompt: "", schema: {} } },
  graph: { edges: [{ from: "__start__", to: "worker", condition: "FALLBACK", when: null, prompt: null, location: null }] },
};\n`;
const HONEST = RUN + DESCRIPTOR;

let cli: Cli;
let server: Server;
let connections = 0;
let port = 0;
beforeAll(async () => {
  cli = openCli();
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  // A valid bundle first: the hostile ones must not change what it leaves.
  await cli.json(["workflow", "add", "honest", bundle("honest.esm.js", HONEST)]);
});
afterAll(async () => {
  server.close();
  await cli.close();
});

function bundle(name: string, text: string | Uint8Array): string {
  const file = join(cli.dir, name);
  writeFileSync(file, text);
  return file;
}

/** Every file of the storage root with its bytes, without SQLite's journals. */
function world(): Map<string, string> {
  const names = readdirSync(cli.root, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith("index.db"));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

/** Check processes that outlived the command that started them. */
function leftRunning(): string[] {
  const { stdout } = spawnSync("ps", ["-eo", "ppid,args"], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => /^ *1 .*locked-child/.test(line));
}

describe("workflow add refuses a bundle that", () => {
  const traces = (): string => join(cli.dir, "trace");
  const hostile: [what: string, code: string, text: () => string | Uint8Array][] = [
    [
      "writes a file",
      "BUNDLE_INVALID",
      () =>
        `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(traces())}, "x");\n${HONEST}`,
    ],
    [
      "opens a socket",
      "BUNDLE_INVALID",
      () =>
        `import net from "node:net"; net.connect(${port}, "127.0.0.1"); await new Promise((done) => setTimeout(done, 500));\n${HONEST}`,
    ],
    ["fetches", "BUNDLE_INVALID", () => `await fetch("http://127.0.0.1:${port}/");\n${HONEST}`],
    [
      "starts a program",
      "BUNDLE_INVALID",
      () =>
        `import { execSync } from "node:child_process"; execSync("touch ${traces()}");\n${HONEST}`,
    ],
    ["spins for ever", "BUNDLE_TIMEOUT", () => `while (true) {}\n${HONEST}`],
    [
      "never finishes loading",
      "BUNDLE_TIMEOUT",
      () => `setInterval(() => {}, 1000); await new Promise(() => {});\n${HONEST}`,
    ],
    [
      "floods stdout",
      "BUNDLE_INVALID",
      () => `for (;;) process.stdout.write("x".repeat(65536));\n${HONEST}`,
    ],
    ["ends its process", "BUNDLE_INVALID", () => `process.exit(0);\n${HONEST}`],
    ["throws", "BUNDLE_INVALID", () => `throw new Error("not today");\n${HONEST}`],
    ["has a default export", "BUNDLE_EXPORTS", () => `${HONEST}export default run;\n`],
    ["exports something else, too", "BUNDLE_EXPORTS", () => `${HONEST}export const extra = 1;\n`],
    ["exports no run", "BUNDLE_EXPORTS", () => DESCRIPTOR],
    [
      "exports a run that is no function",
      "BUNDLE_EXPORTS",
      () => `export const run = 1;\n${DESCRIPTOR}`,
    ],
    [
      "describes itself wrongly",
      "BUNDLE_INVALID",
      () => `${RUN}export const descriptor = { description: 1 };\n`,
    ],
    [
      "leads to a role that is not there",
      "BUNDLE_INVALID",
      () => HONEST.replace('to: "worker"', 'to: "nobody"'),
    ],
    ["has a broken rule", "RULE_INVALID", () => HONEST.replace("when: null", 'when: "(("')],
    [
      "imports a package that is not installed",
      "BUNDLE_UNRESOLVED",
      () => `import "@uncaged/nowhere";\n${HONEST}`,
    ],
    ["is empty", "BUNDLE_INVALID", () => ""],
    ["is no JavaScript", "BUNDLE_INVALID", () => "Dear reader,\nthis is a letter.\n"],
    ["is binary", "BUNDLE_INVALID", () => new Uint8Array([0xff, 0xfe, 0, 1, 2])],
  ];

  it.each(hostile)("%s (%s), and leaves nothing behind", async (_what, code, text) => {
    const before = world();
    const file = bundle("hostile.esm.js", text());
    const failure = await cli.fails(["workflow", "add", "hostile", file]);
    expect(failure).toMatchObject({ code, exit: 1 });
    expect(failure.message.length).toBeGreaterThan(20);
    expect(failure.hint).not.toBe("");
    expect(await names()).toEqual(["honest"]);
    expect(world()).toEqual(before);
    expect(existsSync(traces())).toBe(false);
    expect(connections).toBe(0);
    expect(leftRunning()).toEqual([]);
  });

  it("has another bundle's descriptor next to it", async () => {
    const file = bundle("mismatch.esm.js", HONEST);
    writeFileSync(join(cli.dir, "mismatch.descriptor.json"), '{ "description": "another" }');
    const failure = await cli.fails(["workflow", "add", "hostile", file]);
    expect(failure).toMatchObject({ code: "BUNDLE_DESCRIPTOR_MISMATCH", exit: 1 });
    expect(await names()).toEqual(["honest"]);
  });

  it("is not a file, or does not exist", async () => {
    mkdirSync(join(cli.dir, "folder"));
    await runBash("mkfifo fifo", { cwd: cli.dir, env: { PATH: process.env.PATH } });
    symlinkSync("/dev/zero", join(cli.dir, "endless"));
    for (const name of ["folder", "fifo", "endless"]) {
      const failure = await cli.fails(["workflow", "add", "hostile", name]);
      expect([name, failure.code]).toEqual([name, "BUNDLE_INVALID"]);
    }
    expect(await cli.fails(["workflow", "add", "hostile", "nowhere.js"])).toMatchObject({
      code: "FILE_NOT_FOUND",
      exit: 2,
    });
    expect(await names()).toEqual(["honest"]);
  });
});

describe("workflow add refuses the name", () => {
  const CYRILLIC = "r\u0435view";
  it.each([
    "",
    "../honest",
    "a/b",
    ".hidden",
    "__proto__",
    "constructor ",
    "Review",
    CYRILLIC,
    "two\nlines",
    "\u001b[31mred",
    "a".repeat(65),
    "$(touch trace)",
  ])("%j", async (name) => {
    const before = world();
    const file = bundle("honest.esm.js", HONEST);
    const failure = await cli.fails(["workflow", "add", name, file]);
    expect(failure).toMatchObject({ code: "USAGE", exit: 2 });
    expect(world()).toEqual(before);
    // Output never controls the terminal.
    const { stderr } = await cli.run(["workflow", "add", name, file]);
    expect(stderr).not.toContain("\u001b");
  });
});

async function names(): Promise<string[]> {
  const { workflows } = await cli.json<{ workflows: { name: string }[] }>(["workflow", "list"]);
  return workflows.map(({ name }) => name);
}
