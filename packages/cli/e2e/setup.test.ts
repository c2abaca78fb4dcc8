/** Choosing models with the built command, against a real server on loopback. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { KEY, type ModelServer, openModelServer } from "./model-server.test.helper.ts";

let cli: Cli;
let server: ModelServer;
let refusing = false;
beforeEach(async () => {
  cli = openCli();
  refusing = false;
  server = await openModelServer(() =>
    refusing
      ? { error: { message: `Incorrect API key provided: ${KEY}` }, status: 401 }
      : { content: "ready" },
  );
});
afterEach(async () => {
  await server.close();
  await cli.close();
});

const yaml = (): string => join(cli.root, "workflow.yaml");
const local = (): string[] => ["--provider", "local", "--base-url", server.baseUrl];

it("tests each model with one word, then saves it for its owner alone and keeps comments", async () => {
  mkdirSync(cli.root);
  writeFileSync(yaml(), "# mine\nconfig:\n  maxDepth: 5 # deep\n");
  chmodSync(yaml(), 0o644);
  const args = ["setup", ...local(), "--api-key-env", "MY_KEY", "--model", "vendor/small"];
  const more = ["--supervisor-model", "vendor/wise", "--supervisor-interval", "4"];
  const done = await cli.json([...args, ...more], { env: { MY_KEY: KEY } });
  expect(done).toMatchObject({
    file: yaml(),
    providers: ["local"],
    models: { extract: "local/vendor/small", supervisor: "local/vendor/wise" },
    supervisorInterval: 4,
    defaultAgent: null,
    tested: [{ model: "local/vendor/small" }, { model: "local/vendor/wise" }],
  });
  expect(server.requests.map(({ model }) => model)).toEqual(["vendor/small", "vendor/wise"]);
  expect(readFileSync(yaml(), "utf8")).toBe(`# mine
config:
  maxDepth: 5 # deep
  providers:
    local:
      baseUrl: ${server.baseUrl}
      apiKey: $MY_KEY
  models:
    extract: local/vendor/small
    supervisor: local/vendor/wise
  supervisorInterval: 4
`);
  expect(statSync(yaml()).mode & 0o777).toBe(0o600);
});

it("keeps a key from stdin in the file, and prints it nowhere", async () => {
  const { code, stdout, stderr } = await cli.run(
    ["setup", ...local(), "--api-key-stdin", "--model", "m"],
    { stdin: `${KEY}\n` },
  );
  expect(code).toBe(0);
  expect(stdout).toContain("extract: local/m");
  expect(stdout + stderr).not.toContain(KEY);
  expect(readFileSync(yaml(), "utf8")).toContain(`apiKey: ${KEY}`);
});

it("refuses a wrong key, writes nothing, and does not repeat the key that the server repeats", async () => {
  refusing = true;
  const args = ["setup", ...local(), "--api-key-env", "MY_KEY", "--model", "m"];
  const failed = await cli.fails(args, { env: { MY_KEY: KEY } });
  expect(failed).toMatchObject({ exit: 1, code: "AGENT_AUTH" });
  expect(failed.message).toContain("Incorrect API key provided: [key]");
  expect(JSON.stringify(failed)).not.toContain(KEY);
  expect(existsSync(yaml())).toBe(false);
});

it("refuses an unreachable server and a key that is not set, unless told not to test", async () => {
  const dead = [
    "setup",
    "--provider",
    "dead",
    "--base-url",
    "http://127.0.0.1:1/v1",
    "--model",
    "m",
  ];
  expect(await cli.fails(dead)).toMatchObject({ exit: 1, code: "AGENT_FAILED" });
  const keyless = ["setup", ...local(), "--api-key-env", "NOT_SET", "--model", "m"];
  expect(await cli.fails(keyless)).toMatchObject({
    exit: 2,
    code: "CONFIG_INVALID",
    message: expect.stringContaining("NOT_SET"),
  });
  expect(existsSync(yaml())).toBe(false);
  expect(await cli.json([...dead, "--skip-test"])).toMatchObject({ tested: [] });
  expect(readFileSync(yaml(), "utf8")).toContain("dead/m");
});

it("finds a key in .env of the storage root, and refuses the file when others can read it", async () => {
  mkdirSync(cli.root);
  const file = join(cli.root, ".env");
  writeFileSync(file, `# keys\nexport MY_KEY="${KEY}"\n`, { mode: 0o644 });
  const args = ["setup", ...local(), "--api-key-env", "MY_KEY", "--model", "m"];
  const refused = await cli.fails(args);
  expect(refused).toMatchObject({ exit: 2, code: "CONFIG_INVALID", hint: `chmod 600 '${file}'` });
  expect(await cli.run(["doctor"])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`chmod 600 '${file}'`),
  });
  chmodSync(file, 0o600);
  expect(await cli.json(args)).toMatchObject({ tested: [{ model: "local/m" }] });
  expect(readFileSync(yaml(), "utf8")).toContain("apiKey: $MY_KEY");
  expect(await cli.json(["doctor"])).toMatchObject({ ok: true });
});

it("asks questions only on a terminal, and says so", async () => {
  expect(await cli.fails(["setup"])).toMatchObject({ exit: 2, code: "USAGE" });
});
