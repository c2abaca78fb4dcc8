import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { environmentMessage, splitEnvironment } from "./runner-environment.ts";

const MODULE = new URL("../../dist/runner/runner-environment.js", import.meta.url).href;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runner-environment-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the environment of a runner", () => {
  it("has what programs need to start; all else is told", () => {
    const { open, told } = splitEnvironment({
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      NODE_EXTRA_CA_CERTS: "/ca",
      NODE_AUTH_TOKEN: "t",
      UNCAGED_RUN_MARK: "",
      UNCAGED_API_KEY: "k",
      OPENROUTER_API_KEY: "k",
      PGPASSWORD: "p",
      DATABASE_URL: "postgres://u:p@h/d",
      EDITOR: "vi",
    });
    expect(Object.keys(open)).toEqual([
      "PATH",
      "HOME",
      "LC_ALL",
      "NODE_EXTRA_CA_CERTS",
      "UNCAGED_RUN_MARK",
    ]);
    expect(Object.keys(told)).toEqual([
      "NODE_AUTH_TOKEN",
      "UNCAGED_API_KEY",
      "OPENROUTER_API_KEY",
      "PGPASSWORD",
      "DATABASE_URL",
      "EDITOR",
    ]);
  });

  it.each([
    ["before", ""],
    ["long before", 'await new Promise((gone) => process.once("disconnect", gone));'],
  ])("is not taken for whole when who was to tell the rest ended %s", async (_when, first) => {
    const script = join(folder, "orphan.mjs");
    await writeFile(
      script,
      `import { takeEnvironment } from ${JSON.stringify(MODULE)};
${first}
process.exit((await takeEnvironment()) ? 0 : 7);`,
    );
    const runner = fork(script, [], { env: { PATH: process.env.PATH } });
    runner.disconnect();
    expect(await new Promise((gone) => runner.once("exit", gone))).toBe(7);
  });

  it("comes whole, and what is told is not in the environment that the system shows", async () => {
    const script = join(folder, "runner.mjs");
    await writeFile(
      script,
      `import { takeEnvironment } from ${JSON.stringify(MODULE)};
await takeEnvironment();
process.send({ key: process.env.SOME_API_KEY, home: process.env.HOME });
process.once("message", () => process.exit());`,
    );
    const secret = "s3cr3t-value-of-a-key";
    const { open, told } = splitEnvironment({ ...process.env, HOME: "/h", SOME_API_KEY: secret });
    const runner = fork(script, [], { env: open });
    runner.send(environmentMessage(told));
    const { promise, resolve } = Promise.withResolvers<unknown>();
    runner.once("message", resolve);
    expect(await promise).toEqual({ key: secret, home: "/h" });
    const shown = `/proc/${runner.pid}/environ`;
    // Only Linux shows it as a file.
    if (existsSync(shown)) expect(readFileSync(shown, "latin1")).not.toContain(secret);
    runner.send("done");
    await new Promise((gone) => runner.once("exit", gone));
  });
});
