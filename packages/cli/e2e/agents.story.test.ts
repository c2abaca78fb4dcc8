/** Agents that others publish: packed, added, listed, and used by a workflow that names them. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const ZOD = fileURLToPath(new URL("../node_modules/zod", import.meta.url));

let cli: Cli;
beforeEach(() => {
  cli = openCli();
});
afterEach(() => cli.close());

/** An ESM-only package that prints when it is loaded and reports its options in its meta. */
const ECHO = `
console.log("an adapter that prints");
export const agent = {
  name: "echo",
  create(options) {
    for (const name of Object.keys(options)) if (name !== "says") throw new Error("there is no option " + name);
    return (_prompt, schema) => async () => ({
      meta: schema.parse({ said: String(options.says ?? "nothing") }),
      childThread: null,
    });
  },
  probe: async () => ({ path: "/usr/bin/echo", version: "2.0", installed: true, login: "missing", features: [], fix: "run: echo login" }),
};
`;

/** Writes a package with this name below the test's folder. */
function author(name: string, code: string, version = "1.0.0"): string {
  const folder = join(cli.dir, "src", name.replace("/", "-"));
  mkdirSync(folder, { recursive: true });
  const manifest = {
    name,
    version,
    type: "module",
    exports: { ".": { import: "./index.js" } },
    scripts: { postinstall: "echo ran > postinstall-ran" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), code);
  return folder;
}

function tarball(folder: string): string {
  const args = ["pack", folder, "--pack-destination", cli.dir, "--ignore-scripts", "--json"];
  const printed = execFileSync("npm", args, {
    cwd: cli.dir,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename }]: [{ filename: string }] = JSON.parse(printed);
  return join(cli.dir, filename);
}

/** Registers a workflow whose only role the named agent plays. */
async function addWorkflow(agent: string | null): Promise<void> {
  const folder = join(cli.dir, "flow");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  rmSync(join(folder, "node_modules/zod"), { force: true });
  symlinkSync(ZOD, join(folder, "node_modules/zod"));
  writeFileSync(join(folder, "package.json"), '{ "name": "flow", "type": "module" }\n');
  writeFileSync(
    join(folder, "flow.mjs"),
    `import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";
const definition = defineWorkflow({
  description: "one role, played by a named agent",
  roles: { speaker: defineRole({ description: "speaks", systemPrompt: "Speak.", schema: z.object({ said: z.string() }), extractRefs: null }) },
  table: { [START]: [{ condition: "FALLBACK", role: "speaker" }], speaker: [{ condition: "FALLBACK", role: END }] },
});
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent(${JSON.stringify(agent)}), overrides: null });
`,
  );
  const { file } = await cli.json<{ file: string }>([
    "workflow",
    "build",
    join(folder, "flow.mjs"),
  ]);
  await cli.json(["workflow", "add", "speak", file]);
}

/** What the role answered in a new thread; null: the thread failed. */
async function spoken(): Promise<{ said: unknown; summary: string }> {
  const { code, stdout } = await cli.run([
    "--json",
    "thread",
    "run",
    "speak",
    "--prompt",
    "go",
    "--wait",
  ]);
  const { threadId, summary }: { threadId: string; summary: string } = JSON.parse(stdout);
  const { steps } = await cli.json<{ steps: { meta: { said: string } }[] }>([
    "thread",
    "show",
    threadId,
  ]);
  return { said: code === 0 ? steps[0]?.meta.said : null, summary };
}

/** No registry listens at this address. */
const OFFLINE = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };

it("adds a bundled adapter without npm: by name, with its version, and by a clone's folder", async () => {
  const folder = fileURLToPath(new URL("../../agent-codex", import.meta.url));
  const version: { version: string } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const command = "@uncaged/workflow-agent-command";
  for (const [name, source] of [
    ["bare", command],
    ["same", `${command}@${version.version}`],
    ["folder", folder],
  ] as const) {
    const options = source === folder ? [] : ["--option", "command=node"];
    const added = await cli.json(["agent", "add", source, "--name", name, ...options], {
      env: OFFLINE,
    });
    expect(added).toMatchObject({
      name,
      package: source === folder ? "@uncaged/workflow-agent-codex" : command,
      version: version.version,
    });
  }
  expect(existsSync(join(cli.root, "node_modules"))).toBe(false);
  expect(existsSync(join(cli.root, "package.json"))).toBe(false);
});

it("downloads another version of an adapter than the bundled one", async () => {
  const failed = await cli.fails(["agent", "add", "@uncaged/workflow-agent-command@99.0.0"], {
    env: OFFLINE,
  });
  expect(failed).toMatchObject({ code: "INSTALL_FAILED" });
});

it("adds an unpublished tarball, lists it, and lets a workflow name it", async () => {
  const file = tarball(author("their-echo", ECHO));
  const added = await cli.json(["agent", "add", file, "--option", "says=hello"]);
  expect(added).toMatchObject({
    name: "echo",
    package: "their-echo",
    version: "1.0.0",
    options: { says: "hello" },
    probe: { installed: true, login: "missing" },
  });
  rmSync(file);
  const { agents } = await cli.json<{ agents: unknown[] }>(["agent", "list"]);
  expect(agents[0]).toEqual({
    name: "echo",
    package: "their-echo",
    packageVersion: "1.0.0",
    default: false,
    path: "/usr/bin/echo",
    version: "2.0",
    installed: true,
    login: "missing",
    features: [],
    fix: "run: echo login",
  });
  const { stdout } = await cli.run(["agent", "list"]);
  expect(stdout).toMatch(
    /^AGENT +PACKAGE +INSTALLED +VERSION +LOG-IN +PATH\necho +their-echo 1\.0\.0 +yes +2\.0 +missing/,
  );
  expect(stdout).toContain("fix echo: run: echo login");
  // Our own agents that nobody configured are not faults.
  expect(stdout).toContain(
    "to use (claude-code): uncaged-workflow agent add @uncaged/workflow-agent-claude-code",
  );
  expect(stdout).not.toContain("fix (");
  await addWorkflow("echo");
  expect(await spoken()).toMatchObject({ said: "hello" });
  // No code of the package ran during the installation.
  expect(existsSync(join(cli.root, "node_modules/their-echo/postinstall-ran"))).toBe(false);
});

it("replaces an old version and keeps its options and other agents", async () => {
  await cli.json(["agent", "add", author("@them/echo", ECHO), "--option", "says=old"]);
  await cli.json(["agent", "add", author("other", ECHO), "--name", "other"]);
  const next = author("@them/echo", ECHO.replace('"2.0"', '"3.0"'), "1.1.0");
  expect(await cli.json(["agent", "add", next])).toMatchObject({
    version: "1.1.0",
    options: { says: "old" },
    probe: { version: "3.0" },
  });
  const { agents } = await cli.json<{ agents: { name: string | null; version: string }[] }>([
    "agent",
    "list",
  ]);
  expect(agents.filter(({ name }) => name !== null)).toMatchObject([
    { name: "echo", version: "3.0" },
    { name: "other", version: "2.0" },
  ]);
  expect(readdirSync(join(cli.root, "tarballs"))).toHaveLength(2);
});

/** A folder with an `npm` that wraps npm and writes to `overlap` when another one already works on the storage root. */
function watchedNpm(overlap: string): string {
  const folder = join(cli.dir, "bin");
  mkdirSync(folder);
  const npm = execFileSync("which", ["npm"], { encoding: "utf8" }).trim();
  const busy = join(cli.dir, "busy");
  const script = `#!/bin/sh
case "$*" in *"--prefix ${cli.root} "*) ;; *) exec "${npm}" "$@" ;; esac
mkdir "${busy}" || touch "${overlap}"
sleep 0.5
"${npm}" "$@"
code=$?
rmdir "${busy}"
exit $code
`;
  writeFileSync(join(folder, "npm"), script, { mode: 0o755 });
  return folder;
}

it("adds agents that several processes add at once, one after the other", async () => {
  const names = ["one", "two", "three"];
  const sources = names.map((name) => author(`their-${name}`, ECHO));
  const overlap = join(cli.dir, "overlap");
  const env = { PATH: `${watchedNpm(overlap)}:${process.env.PATH}` };
  await Promise.all(
    names.map((name, at) => cli.json(["agent", "add", sources[at] ?? "", "--name", name], { env })),
  );
  expect(existsSync(overlap)).toBe(false);
  const { agents } = await cli.json<{ agents: { name: string | null; version: string }[] }>([
    "agent",
    "list",
  ]);
  const configured = agents.filter(({ name }) => name !== null);
  expect(configured).toHaveLength(3);
  expect(configured).toEqual(
    expect.arrayContaining(names.map((name) => expect.objectContaining({ name, version: "2.0" }))),
  );
  expect(readdirSync(join(cli.root, "tarballs"))).toHaveLength(3);
});

it("gives a contested name to only one of two packages", async () => {
  const both = ["their-echo", "other-echo"].map((name) => author(name, ECHO));
  const ran = await Promise.all(both.map((folder) => cli.run(["--json", "agent", "add", folder])));
  expect(ran.map(({ code }) => code).sort()).toEqual([0, 2]);
  expect(ran.map(({ stderr }) => stderr).join("")).toContain("TARGET_EXISTS");
  expect(readdirSync(join(cli.root, "tarballs"))).toHaveLength(1);
});

it("uses the default agent where none is named, and says what to do when there is none", async () => {
  await cli.json(["agent", "add", author("their-echo", ECHO), "--option", 'says="quoted"']);
  await addWorkflow(null);
  expect(await spoken()).toEqual({
    said: null,
    summary: expect.stringContaining("AGENT_NOT_FOUND"),
  });
  await cli.json(["setup", "--default-agent", "echo"]);
  expect(await spoken()).toMatchObject({ said: "quoted" });
});

it("leaves nothing behind when a package is not an agent, rejects its options, or does not exist", async () => {
  const none = author("no-agent", "export const something = 1;");
  const good = author("their-echo", ECHO);
  await cli.json(["agent", "add", good]);
  const kept = ["workflow.yaml", "package.json", "package-lock.json"];
  const files = (): string[] => kept.map((name) => readFileSync(join(cli.root, name), "utf8"));
  const before = files();
  for (const [args, code, words] of [
    [[none], "CONFIG_INVALID", "it exports: something"],
    [
      [good, "--name", "more", "--option", "volume=11"],
      "CONFIG_INVALID",
      "there is no option volume",
    ],
    [[good, "--name", "No Name"], "USAGE", "No Name"],
    [[good, "--option", "volume"], "USAGE", "volume"],
    [[author("another", ECHO)], "TARGET_EXISTS", "their-echo"],
    [["./nowhere"], "FILE_NOT_FOUND", "nowhere"],
    [["file:///nowhere/at/all.tgz"], "FILE_NOT_FOUND", "nowhere"],
  ] as const) {
    const failed = await cli.fails(["agent", "add", ...args]);
    expect(failed).toMatchObject({ code, message: expect.stringContaining(words) });
  }
  expect(files()).toEqual(before);
  expect(
    readdirSync(join(cli.root, "node_modules")).filter((name) => !name.startsWith(".")),
  ).toEqual(["their-echo"]);
  expect(readdirSync(join(cli.root, "tarballs"))).toHaveLength(1);
});
