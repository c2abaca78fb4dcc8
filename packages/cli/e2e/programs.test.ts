/** Programs that the engine starts by path, started by the built command. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const BUILT = fileURLToPath(new URL("../dist/cli/", import.meta.url));
const NATIVE = ["xxhash-addon"];
/** An error message of the AWS SDK says how to import them. */
const SAID = ["@aws-sdk/signature-v4-crt", "@aws-sdk/signature-v4a"];
const IMPORTED = /\b(?:from|import)\s*\(?["'`]([\w@.][\w@./:-]*)["'`]/g;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

it("are one file each, which loads no packages except a native one", () => {
  const programs = readdirSync(BUILT).filter((name) => name.endsWith("-main.js"));
  const names = ["guard", "keeper", "runner", "worker"].map((name) => `${name}-main.js`);
  expect(programs).toEqual(names);
  for (const name of programs) {
    const text = readFileSync(join(BUILT, name), "utf8");
    const imported = Array.from(text.matchAll(IMPORTED), ([, from = ""]) => from);
    const others = imported.filter((from) => !isBuiltin(from) && !SAID.includes(from));
    expect(others.filter((from) => !NATIVE.includes(from))).toEqual([]);
  }
});

it("are started from next to the running command, not from the packages it was built from", async () => {
  const prompt = JSON.stringify({ steps: 1, gate: "go" });
  const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", "--prompt", prompt]);
  const { threads } = await cli.json<{ threads: { pid: number }[] }>(["thread", "ps"]);
  const pid = String(threads[0]?.pid);
  const started = execFileSync("ps", ["-ww", "-o", "args=", "-p", pid], { encoding: "utf8" });
  expect(started).toContain(`${join(BUILT, "runner-main.js")} `);
  const guards = execFileSync("ps", ["-ww", "-A", "-o", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("guard-main.js") && line.includes(threadId));
  expect(guards).toEqual([expect.stringContaining(`${join(BUILT, "guard-main.js")} `)]);
});
